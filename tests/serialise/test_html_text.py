"""Trees to HTML and to the text that a browser shows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import shape, tree_of
from longleaf.clean import clean
from longleaf.parse import parse
from longleaf.serialise.html import escape_attribute, escape_text, to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document, Nodes
from strategies import pages

FEW = settings(max_examples=60, deadline=None)


def text(html):
    return to_text(clean(Document.from_html(html)).nodes)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<div>a<div>b</div>c</div>", "a\nb\nc"),
        ("a<br>b", "a\nb"),
        ("<p>a <b>b</b><i>c</i></p>", "a bc"),
        ("<table><tr><td>a<td><td>b<tr><td>c</table>", "a\t\tb\nc"),
        ("<table><tr><td>a<br>b<td><p>c<p>d</table>", "a\nb\t\nc\nd"),
        ("<pre>  a\n\n\tb </pre>c", "  a\n\n\tb\nc"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "a\nb\nc"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("10<sup>6</sup> m<sup>2</sup>, <sup>1</sup>", "10^6 m^2, 1"),
        ("x<sub>1</sub>", "x1"),
        ("<ruby>東<rt>tou</rt></ruby>", "東(tou)"),
        ("<ruby>東<rp>[</rp><rt>tou</rt><rp>]</rp></ruby>", "東[tou]"),
        ("<math><mfrac><mn>3</mn><mn>4</mn></mfrac></math>", "3/4"),
        ("<input type=checkbox checked>a<br><input type=checkbox>b", "[x] a\n[ ] b"),
        ("<p>a <input value=typed> <input placeholder=hint> <input type=password value=x>", "a typed hint"),
        ("<img alt='a picture'>, then", "a picture, then"),
        ("a<img alt='picture'>b", "a picture b"),
        ("a <img alt='picture'>-b", "a picture -b"),
        ("<img alt='one two'><img alt='three'>", "one two three"),
        (
            "<amp-img alt='tower'></amp-img><map><area alt=North></map><input type=image alt=Go>",
            "tower North Go",
        ),
        ("<select><optgroup label=A><option label=B value=1><option>C</select>", "A\nB\nC"),
        ("a<datalist><option value=D></datalist>", "a\nD"),
        ("<button>Save</button><button>Cancel</button>, or", "Save Cancel, or"),
        ("<label>C++</label><label>Java</label><x-tab>A</x-tab><x-tab>B</x-tab>", "C++ Java A B"),
        ("<output>42</output><meter>3 of 10</meter>", "42 3 of 10"),
        ("<a href=1>Home</a><a href=2>Docs</a> <a href=3>link</a>s", "Home Docs links"),
        ("<svg><text><tspan x=0>Mar</tspan><tspan x=9>Apr</tspan></text></svg>", "Mar Apr"),
        (
            "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>4</mn></mfrac><mi>r</mi></math>",
            "(a+b)/4 r",
        ),
        (
            "<math><msubsup><mi>x</mi><mn>1</mn><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup></math>",
            "x_1^(n+1)",
        ),
        ("<math><msqrt><mn>2</mn><mi>y</mi></msqrt><mover><mi>x</mi><mo>¯</mo></mover></math>", "√(2y)x¯"),
        (
            "<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable></math>",
            "1 2; 3",
        ),
        ("<math><mfenced><mi>a</mi><mi>b</mi></mfenced></math>", "(a, b)"),
        ("2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> cups", "2 1/2 cups"),
    ],
)
def test_text_is_what_a_browser_shows(html, expected):
    assert text(html) == expected


def test_nothing_gives_nothing():
    none = Nodes([], [], [], [], [], [])
    assert to_html(none) == to_text(none) == ""


def test_a_part_of_a_text_and_a_part_of_a_tree():
    nodes = clean(Document.from_html("<p>one two</p><p>three</p>")).nodes
    first = nodes.tag.index("p")
    assert to_text(nodes, first, clip={first + 1: (4, 7)}) == "two"
    assert to_text(nodes, first) == "one two"
    assert to_html(nodes, first) == "<p>one two</p>"
    assert to_html(nodes, first, len(nodes)) == "<p>one two</p><p>three</p>"


@pytest.mark.parametrize(
    "html",
    [
        "<html><head></head><body><p>a &amp; b &lt;i&gt;</p></body></html>",
        '<html><head></head><body><a href="?a=1&amp;b=&quot;2&quot;">x</a></body></html>',
        "<html><head></head><body><pre>\n\n a\n</pre><br><hr></body></html>",
        "<html><head></head><body><input checked><details open>a</details></body></html>",
        '<html><head></head><body><img alt="a &lt; b"></body></html>',
        "<html><head><script>if (a < b) c();</script></head><body></body></html>",
        "<html><head></head><body><!--a -- b-->c</body></html>",
    ],
)
def test_html_comes_back_to_the_letter(html):
    assert to_html(parse(Document.from_html(html)).nodes) == html


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40))
def test_any_text_survives_escaping(said):
    html = f'<p title="{escape_attribute(said)}">{escape_text(said)}</p>'
    nodes = parse(Document.from_html(f"<body>{html}")).nodes
    place = nodes.tag.index("p")
    assert "".join(nodes.text[place:]) == said
    assert nodes.attrs[place]["title"] == said


@FEW
@given(pages())
def test_any_page_parses_back_to_the_same_tree(html):
    tree = tree_of(html)
    if tree is not None:
        nodes = tree.page.nodes
        again = parse(Document.from_html(to_html(nodes))).nodes
        assert shape(again) == shape(nodes)
        assert to_text(again) == to_text(nodes)


def test_depth_is_no_limit():
    html = "<div id=x>" * 1400 + "deep" + "</div>" * 1400
    nodes = clean(Document.from_html(html)).nodes
    assert to_html(nodes).count("<div") == 1400
    assert to_text(nodes) == "deep"

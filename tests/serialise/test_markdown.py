"""Trees as Markdown: readable, and read back as what they were."""

import html as entities

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.render.from_markdown import markdown_html
from longleaf.serialise.markdown import to_markdown
from longleaf.serialise.text import to_text
from longleaf.types import Document, Nodes


def md(html):
    return to_markdown(clean(Document.from_html(html)).nodes)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A <b>title</b></h2><p>text</p>", "## A **title**\n\ntext"),
        ("<h1>1. C # <br>sharp #</h1>", "# 1. C # sharp \\#"),
        ("<title>T</title><p>a</p>", "# T\n\na"),
        ("<title>T</title><h1>H</h1>", "# H"),
        ("<p> a\n  <b> b </b>c</p>", "a **b** c"),
        ("a<br>b<br><br>c<br>", "a\\\nb\n\nc"),
        ("a<hr>b", "a\n\n***\n\nb"),
        ("<blockquote><p>q</p><p>r</p></blockquote><blockquote>s</blockquote>", "> q\n>\n> r\n\n> s"),
        ("<details><summary>More</summary>x</details>", "**More**\n\nx"),
        ("<a href=u><h2>T</h2><p>x</p></a>", "## [T](u)\n\n[x](u)"),
        ("<p>a<script>b</script><!-- c --></p>", "a"),
        ("<p>Let <script type='math/tex'>a^2</script> be", "Let a^2 be"),
        ("<p><label>Name</label><input value=Ann><label>Age</label>", "Name Ann Age"),
        ("<button>Save</button><button>Cancel</button>.", "Save Cancel."),
        ("<a href=1>One</a><a href=2>Two</a>", "[One](1) [Two](2)"),
        ("see<img alt=lamp>now", "see lamp now"),
        ("<select><optgroup label=A><option label=B><option>C</select>", "- A\n\n  - B\n\n  - C"),
        ("<amp-img alt=tower src=t></amp-img>", "![tower](t)"),
    ],
)
def test_blocks(html, markdown):
    assert md(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<i>a</i> <b>b</b> <del>c</del>", "_a_ **b** ~~c~~"),
        ("un<i>believ</i>able", "un*believ*able"),
        ("<b>a</b><b>b</b><i>c</i><b>d</b>", "**ab**_c_**d**"),
        ("<b>a <b>b</b></b> <b></b><i> </i>c", "**a b** c"),
        ("<b>a:</b>b", "<strong>a:</strong>b"),
        ("H<sub>2</sub>O, 10<sup>6</sup>, <kbd>Esc</kbd>, <mark>m</mark>, <ins>n</ins>",
         "H<sub>2</sub>O, 10<sup>6</sup>, <kbd>Esc</kbd>, <mark>m</mark>, <ins>n</ins>"),
        ("<q>a</q> <var>x</var> <ruby>東<rt>とう</rt></ruby>", "“a” _x_ 東(とう)"),
        ("<code>a  b</code> <code>a`b</code> <code>`</code>", "`a b` ``a`b`` `` ` ``"),
        ("<code>a</code><code>b</code>", "`ab`"),
        ("<code><a href=u>f()</a></code>", "[`f()`](u)"),
        ("<a href='a b(c)'>x [y]</a> <a href=u></a><a name=n>z</a>", "[x \\[y\\]](<a b(c)>) z"),
        ("<img alt='A [b]' src=c.png><img alt='only words'>", "![A \\[b\\]](c.png) only words"),
        ("Hi!<a href=u>x</a>", "Hi\\![x](u)"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
    ],
)  # fmt: skip
def test_inline(html, markdown):
    assert md(f"<p>{html}</p>") == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("snake_case_name and 2*3", "snake_case_name and 2*3"),
        ("2*3*4 a * b", "2\\*3\\*4 a * b"),
        ("*args, **kwargs", "*args, **kwargs"),
        ("__init__ and _x", "\\_\\_init\\_\\_ and \\_x"),
        ("a * note", "a * note"),
        ("~5 or ~6", "~5 or ~6"),
        ("~~a~~", "\\~\\~a\\~\\~"),
        ("a < b, <b>, </p>", "a < b, \\<b>, \\</p>"),
        ("AT&T &amp; &x", "AT&T \\&amp; &x"),
        ("[1] [a](b) [c]: d", "[1] [a\\](b) [c\\]: d"),
        ("`x`", "\\`x\\`"),
        ("C:\\new \\* \\", "C:\\new \\\\* \\\\"),
        ("# no heading", "\\# no heading"),
        ("#5 is no heading", "#5 is no heading"),
        ("- none", "\\- none"),
        ("-1 is fine", "-1 is fine"),
        ("1986. A year", "1986\\. A year"),
        ("3.5 kg", "3.5 kg"),
        ("> no quotation", "\\> no quotation"),
        ("* * *", "\\* * *"),
        ("| a | b |", "| a | b |"),
    ],
)
def test_only_what_would_mean_something_is_escaped(text, markdown):
    assert md(f"<p>{entities.escape(text)}</p>") == markdown
    assert to_text(clean(Document.from_html(markdown_html(markdown))).nodes) == text


def test_a_second_line_does_not_underline_the_first():
    assert md("<p>a<br>===<br>---<br>|---|</p>") == "a\\\n\\===\\\n\\---\\\n\\|---|"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ol start=4><li>d</li><li>e</li></ol>", "4. d\n5. e"),
        ("<ol start=9><li>a<p>b</li><li>c</li></ol>", "9. a\n\n   b\n\n10. c"),
        ("<ol><li>a</li><li value=7>b</li></ol>", "1. a\n\n7) b"),
        ("<ol reversed><li>a</li><li>b</li></ol>", "2. a\n\n1) b"),
        ("<ul><li>a<ol start=3><li>b</li></ol></li></ul>", "- a\n\n  3. b"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n+ b"),
        ("<ul><li>a<ul><li>b</li></ul>c</li></ul>", "- a\n  - b\n\n  c"),
        ("<ul><li></li><li>a</li></ul>", "- a"),
        ("<ul><li><table><tr><td>a</table><ul><li>b</ul></ul>", "- |  |\n  | --- |\n  | a |\n\n  - b"),
        ("<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>", "- [x] a\n- [ ] b"),
        ("<ul><li>a<pre>b\n\nc</pre></li></ul>", "- a\n\n  ```\n  b\n\n  c\n  ```"),
        ("<dl><dt>t</dt><dt>u</dt><dd>d<p>e</dd><dt>v</dt><dd>f</dd></dl>",
         "- **t**\n\n  **u**\n\n  d\n\n  e\n\n- **v**\n\n  f"),
        ("<dl><dt>a</dt><dd>b</dd></dl><dl><dt>c</dt><dd>d</dd></dl>", "- **a**\n\n  b\n\n- **c**\n\n  d"),
        ("<select><option>a<option>b</select>", "- a\n- b"),
    ],
)  # fmt: skip
def test_lists(html, markdown):
    assert md(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<pre><code class="language-sh">ls  -l\n\n```\n</code></pre>', "````sh\nls  -l\n\n```\n````"),
        ('<div class="highlight-python3"><pre>\n  a\t\n</pre></div>', "```python3\n  a\t\n```"),
        ('<pre class="highlight-default"> *a* &lt;b>', "```\n *a* <b>\n```"),
        ("<pre>a<br>b<b>c</b></pre>", "```\na\nbc\n```"),
        ("<pre>````</pre>", "`````\n````\n`````"),
    ],
)
def test_code_is_kept_to_the_byte(html, markdown):
    assert md(html) == markdown


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<table><tr><th>a|b</th><th>c</th></tr><tr><td><code>x|y</code></td><td></td></tr></table>",
         ["| a\\|b | c |", "| --- | --- |", "| `x\\|y` |  |"]),
        ("<table><tr><td>a</td><td>b</td></tr></table>", ["|  |  |", "| --- | --- |", "| a | b |"]),
        ("<table><thead><tr><td>a</td></tr></thead><tr><td>b<p>c</td></tr></table>",
         ["| a |", "| --- |", "| b<br>c |"]),
        ("<table><tr><th>a</th><td>b</td></tr></table>", ["|  |  |", "| --- | --- |", "| **a** | b |"]),
        ("<table><caption>Of <b>lamps</b></caption><tr><td>a</td></tr></table>",
         ["Of **lamps**", "", "|  |", "| --- |", "| a |"]),
    ],
)  # fmt: skip
def test_pipe_tables(html, lines):
    assert md(html).split("\n") == lines


@pytest.mark.parametrize(
    "html",
    [
        '<table><tbody><tr><th colspan="2">N</th></tr><tr><td>a</td><td>b</td></tr></tbody></table>',
        "<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>",
        "<table><tbody><tr><td>a</td><td><ul><li>b</li></ul></td></tr></tbody></table>",
    ],
)
def test_a_table_that_is_no_plain_grid_stays_html(html):
    assert md(html) == html


def test_html_of_a_table_has_no_blank_line_and_the_same_code():
    html = '<table><tr><td colspan="2"><pre>a\n\n\nb</pre></td></tr><tr><td>c<td>d</table>'
    written = md(html)
    assert "\n\n" not in written
    assert "a\n\n\nb" in to_text(clean(Document.from_html(written)).nodes)


def test_a_table_that_only_arranges_the_page_is_gone_through():
    assert md("<table><tr><td><h1>a</h1><p>b</p></td></tr></table>") == "# a\n\nb"
    assert md("<table><tr><td>a</td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>") == (
        "a\n\n|  |  |\n| --- | --- |\n| b | c |"
    )


def test_no_words_are_glued_or_lost():
    words = [f"w{n}" for n in range(500)]
    html = "<p>" + " ".join(f"<b>{w}</b>" if n % 7 == 0 else w for n, w in enumerate(words)) + "</p>"
    assert md(html).replace("*", "").split() == words


@pytest.mark.parametrize(
    "tag",
    [
        "blockquote",
        "ul><li",
        "ol><li>x<p",
        "dl><dt>x<dd",
        "b",
        "div",
        "table><tr><td",
        "a href=u><i",
        "span id=x",
    ],
)
def test_depth_is_no_limit(tag):
    written = md(f"<{tag}>" * 700 + "deep")
    assert "deep" in written
    assert max(map(len, written.split("\n"))) < 5000


def test_trees_thousands_deep_are_written():
    size = 20_000
    parents = list(range(-1, size - 1))
    tags = ["blockquote", "ul", "li", "b"] * (size // 4)
    tags[-1] = ""
    texts = [""] * (size - 1) + ["deep"]
    nodes = Nodes(tags, parents, [size] * size, texts, [{}] * size, list(range(size)))
    assert to_markdown(nodes).endswith("**deep**")


def test_nothing_is_an_empty_text():
    assert to_markdown(Nodes([], [], [], [], [], [])) == ""


# Random pages: what is written, shown again and read, says the same as the page.

WORDS = st.sampled_from(
    ["foo", "bar *x", "a_b", "_c_", "__d__", "# h", "1. x", "- y", "`z", "<b", "&amp;", "|", "[l]", "](u)",
     "!", "~~t~~", "~5", "*", "**", "\\", "a\\|b", ":--", "===", "x:", "(p)", "«r»", "你好", "é", "...",
     "`` ` ``", "[1]:", " ", "\n"]
)  # fmt: skip
TEXT = st.lists(WORDS, min_size=1, max_size=3).map(lambda words: entities.escape(" ".join(words)))
MARKS = st.sampled_from("b i strong em code del sup sub kbd mark ins span var s".split())


def wrapped(tags, inner):
    return st.builds(lambda tag, inside: f"<{tag}>{inside}</{tag}>", tags, inner)


def joined(parts, size=3):
    return st.lists(parts, min_size=1, max_size=size).map("".join)


INLINE = st.recursive(
    TEXT | st.sampled_from(["<br>", "<img alt='p [a]' src=i.png>", " "]),
    lambda inner: wrapped(MARKS, joined(inner)) | joined(inner).map(lambda s: f"<a href='x(y)'>{s}</a>"),
    max_leaves=6,
)
ROWS = st.lists(joined(INLINE), min_size=4, max_size=4).map(
    lambda c: f"<table><tr><th>{c[0]}<th>{c[1]}<tr><td>{c[2]}<td>{c[3]}</table>"
)
LEAF = (
    wrapped(st.sampled_from(["p", "div", "h3"]), joined(INLINE))
    | ROWS
    | st.lists(st.sampled_from(["x = `1`", "", "  y", "```", "- a"]), min_size=1).map(
        lambda lines: f"<pre>{entities.escape(chr(10).join(lines))}</pre>"
    )
)
PAGE = st.recursive(
    LEAF,
    lambda inner: (
        wrapped(st.just("blockquote"), joined(inner))
        | st.lists(joined(inner | INLINE), min_size=1, max_size=3).flatmap(
            lambda items: st.sampled_from(["ul", "ol", "ol start=4"]).map(
                lambda tag: (
                    f"<{tag}>" + "".join(f"<li>{item}</li>" for item in items) + f"</{tag.split()[0]}>"
                )
            )
        )
        | joined(inner).map(lambda inside: f"<dl><dt>t</dt><dd>{inside}</dd></dl>")
        | joined(inner).map(lambda inside: f"<table><tr><td colspan=2>x<tr><td>{inside}<td>y</table>")
    ),
    max_leaves=6,
)


def words(nodes):
    """Return the visible characters of a tree without white space and the marks before figures."""
    return "".join(to_text(nodes).split()).replace("^", "")


@given(joined(PAGE))
def test_what_is_written_reads_back_as_the_same_text(html):
    try:
        nodes = clean(Document.from_html(html)).nodes
    except EmptyDocument:
        return
    written = to_markdown(nodes)
    shown = markdown_html(written)
    back = clean(Document.from_html(shown)).nodes if written else Nodes([], [], [], [], [], [])
    assert words(back) == words(nodes)
    assert written == to_markdown(nodes)


@given(joined(PAGE))
def test_structure_survives_a_second_writing(html):
    try:
        written = md(html)
        again = md(markdown_html(written))
    except EmptyDocument:
        return
    # The renderer of answers moves headings down (in HTML tables too) and shows images as their words.
    if "![" not in written and "<table" not in written:
        assert again.replace("#####", "###") == written

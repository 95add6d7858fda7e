"""What cleaning keeps, unwraps and sets aside."""

import pytest
from hypothesis import given, settings

from checks import REAL, shape, tree_of
from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.parse import parse
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document
from strategies import odd_tables, pages

FEW = settings(max_examples=80, deadline=None)


def cleaned(html):
    return clean(Document.from_html(html))


def body(html):
    out = to_html(cleaned(html).nodes)
    return out[out.index("<body>") + 6 : out.index("</body>")]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><div><p>a</p></div></div>", "<p>a</p>"),
        ("<div>a <p>b</p></div>", "<div>a<p>b</p></div>"),
        ("<div id=x><p>a</p></div>", '<div id="x"><p>a</p></div>'),
        ("<ul><li><p>a</p></li></ul>", "<ul><li><p>a</p></li></ul>"),
        ("<h2><span>a</span> b</h2>", "<h2>a b</h2>"),
        ("<p>a <span lang=de>b</span></p>", '<p>a <span lang="de">b</span></p>'),
        ("<p>a\n  b&nbsp; c</p>\n <p>d</p>", "<p>a b c</p><p>d</p>"),
        ("<pre>a\n  b\r\n\tc</pre>", "<pre>a\n  b\n\tc</pre>"),
        ("<p>soft&shy;ly zero&#8203;width</p>", "<p>softly zerowidth</p>"),
        ("<p>a<p><p></p><div></div>", "<p>a</p>"),
        ("<a href='javascript:x()'>a</a>", '<a href="#">a</a>'),
        ("<p>a<img src='data:image/png;base64,AA' alt=lamp></p>", '<p>a<img alt="lamp"></p>'),
        ("<pre class='highlight-x other'>a</pre>", '<pre class="highlight-x">a</pre>'),
        ("<table><tr><td rowspan=99999999>a<td colspan=0x1>b</table>", None),
    ],
)
def test_structure_is_kept_and_wrappers_go(html, expected):
    if expected is None:
        expected = '<table><tbody><tr><td rowspan="65534">a</td><td colspan="0x1">b</td></tr></tbody></table>'
    assert body(html) == expected


@pytest.mark.parametrize(
    ("html", "reason", "chars"),
    [
        ("<p>a</p><script>var x</script>", "script", 5),
        ("<p>a</p><style>p{}</style>", "style", 3),
        ("<p>a</p><!-- note -->", "comment", 4),
        ("<p>a</p><p hidden>unseen</p>", "hidden: attribute", 6),
        ("<p>a</p><p style='display : none'>unseen</p>", "hidden: display none", 6),
        ("<p>a</p><p style='color:#FFF;background:white'>unseen</p>", "hidden: text in the background", 6),
        ("<p>a</p><p style='position:absolute;left:-9999px'>unseen</p>", "hidden: off screen", 6),
        ("<h2>a<a class=headerlink href=#a>¶</a></h2>", "permalink mark", 1),
        ("<p>a<i class='fa fa-x' aria-hidden=true></i></p>", "icon", 0),
        ("<p>a<img src=x></p>", "picture without words", 0),
        ("<p>lazy lamp<noscript>lazy lamp</noscript></p>", "noscript that repeats the page", 9),
    ],
)
def test_every_removal_has_its_reason_place_and_size(html, reason, chars):
    page = cleaned(html)
    (removal,) = [r for r in page.removed if r.reason.startswith(reason)]
    assert removal.chars == chars
    assert removal.path.startswith("html>")
    assert "unseen" not in to_html(page.nodes)


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>more</summary>folded words</details>",
        "<div hidden=until-found>folded words</div>",
        "<div role=tabpanel hidden>folded words</div>",
        "<div class='tab-pane fade' style='display: none'>folded words</div>",
        "<div class='accordion-body' style='display:none'>folded words</div>",
        "<div class='MuiCollapse panel-collapse collapse' style='visibility:hidden'>folded words</div>",
        "<p style='opacity:0.5'>folded words</p>",
        "<p style='font-size:0.9em'>folded words</p>",
        "<noscript><p>folded words</p></noscript>",
        "<template shadowrootmode=open><p>folded words</p></template>",
        "<footer>folded words</footer>",
    ],
)
def test_what_a_reader_can_reach_stays(html):
    assert "folded words" in to_text(cleaned(f"<p>first</p>{html}").nodes)


@pytest.mark.parametrize("html", ["<p hidden>unseen</p>", "<script>x</script>", "<div><p></p></div>", "<hr>"])
def test_a_page_that_shows_nothing_is_named(html):
    with pytest.raises(EmptyDocument, match=r"^bare\.html: the page has no visible text"):
        clean(Document.from_html(html, "bare.html"))


def test_hidden_text_is_counted_where_nothing_else_is_left():
    with pytest.raises(EmptyDocument, match="6 characters are hidden"):
        cleaned("<p hidden>unseen</p>")


def test_a_formula_in_a_script_keeps_its_type_and_can_be_read_again():
    html = to_html(cleaned("<p>Let <script type='math/tex'>a^2</script> be").nodes)
    assert '<script type="math/tex">a^2</script>' in html
    assert to_html(cleaned(html).nodes) == html


def test_raw_only_parses():
    page = clean(Document.from_html("<p hidden>a</p><script>b</script>"), "raw")
    assert page.removed == ()
    assert "script" in page.nodes.tag


def test_identity_survives():
    document = Document.from_html("<div><div><p id=x>a</p></div><script>b</script><p>c</p></div>")
    raw, page = parse(document).nodes, clean(document)
    for node, origin in enumerate(page.nodes.origin):
        assert page.nodes.tag[node] == raw.tag[origin]


# Cleaning must not make what a parser would take apart again.
NESTED = [
    "<h1>a<div><h2>b</h2></div></h1>",
    "<h1><section><div><h2>b</h2></div></section></h1>",
    "<ul><li>a<section><li>b</li></section></ul>",
    "<ul><li><section><div><li>b</li></div></section></ul>",
    "<dl><dd>a<article><dd>b</article></dl>",
    "<ul><div><li>b</li></div></ul>",
    "<p>a<object><p>b</p></object>c</p>",
    '<p>a<iframe srcdoc="<ul><li>b</ul>"></iframe>c</p>',
    "<p>a<template shadowrootmode=open><h2>b</h2></template>c</p>",
    "<p>a<button><p>b</button>c</p>",
    "<!doctype html><p>a<table><tr><td>b</table>",
    "<p>a<table><tr><td><p>b</table>c",
    "<b>a<p>b</b>c</p>",
    "<textarea>\n\nb</textarea>",
    "<svg><title>a</title><text>b</text></svg>",
]


@pytest.mark.parametrize("html", NESTED)
def test_odd_nesting_parses_back_to_the_same_tree(html):
    nodes = cleaned(html).nodes
    again = parse(Document.from_html(to_html(nodes))).nodes
    assert shape(again) == shape(nodes)
    assert "b" in to_text(nodes)


def check_round_trip(nodes):
    html = to_html(nodes)
    again = Document.from_html(html)
    assert shape(parse(again).nodes) == shape(nodes)
    assert to_html(clean(again).nodes) == html
    assert to_text(clean(again).nodes) == to_text(nodes)


@FEW
@given(pages())
def test_a_clean_page_parses_back_and_stays_as_it_is(html):
    tree = tree_of(html)
    if tree is not None:
        check_round_trip(tree.page.nodes)


@FEW
@given(odd_tables())
def test_a_clean_table_parses_back(html):
    check_round_trip(cleaned(html).nodes)


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_a_clean_real_page_parses_back(path):
    nodes = clean(Document.from_file(path)).nodes
    assert shape(parse(Document.from_html(to_html(nodes))).nodes) == shape(nodes)


@FEW
@given(pages())
def test_hidden_text_never_shows(html):
    tree = tree_of(html)
    assert tree is None or "unseen" not in to_html(tree.page.nodes)


@FEW
@given(pages())
def test_same_input_same_page(html):
    one, two = tree_of(html), tree_of(html)
    if one is not None:
        assert to_html(one.page.nodes) == to_html(two.page.nodes)
        assert one.page.removed == two.page.removed


# Words at elements that go.


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><center>Title</center>text</div>", "<div><center>Title</center>text</div>"),
        ("<p>See<video>no player</video>now</p>", "<p>See no player now</p>"),
        ("<p>See <object>in</object> now</p>", "<p>See in now</p>"),
        ("<p>a<iframe srcdoc='in <b>it</b>'></iframe>c</p>", "<p>a in <b>it</b> c</p>"),
        ("<p>x<span>y</span>z</p>", "<p>xyz</p>"),
        ("<p>a<span>b</span> <font>c</font>&shy;d</p>", "<p>ab cd</p>"),
        ("<p>n &#28; f</p>", "<p>n f</p>"),
        ("<pre>a\n--&#8203;--</pre>", "<pre>a\n--\u200b--</pre>"),
        ("<table><td colspan=²>x</table>", '<table><tbody><tr><td colspan="²">x</td></tr></tbody></table>'),
    ],
)
def test_words_stay_what_they_are(html, expected):
    assert body(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Click the <svg><!-- x --><path/></svg> icon.</p>", "<p>Click the icon.</p>"),
        ("<a href=x><svg/> Home</a> <a href=y><svg/> Docs</a>", '<a href="x">Home</a> <a href="y">Docs</a>'),
        ("<p>So <mjx-c><svg><g/></svg><math><mi>q</mi></math></mjx-c> is</p>", None),
        ("<p>one<img src=x><b>two</b><svg/>three</p>", "<p>one<b> two</b> three</p>"),
        ("<p>one<img src=x>, two <i class=fa aria-hidden=true></i>!</p>", "<p>one, two !</p>"),
        ("<div>Price 5<div class=clear></div>Total 7</div>", "<div>Price 5<div></div>Total 7</div>"),
        ("one<p></p><p></p>two<ul></ul>three", "one<p></p>two<ul></ul>three"),
        ("one<br><p></p>two<p>three</p><p></p>four", "one<br>two<p>three</p>four"),
        ("a<div><img src=x></div>b", "a<div></div>b"),
        ("a<span style='display:block'>b</span>c", "a b c"),
        (
            "<pre><span class=linenos>1</span>a = 1\n<span class=lineno>2</span>b</pre>",
            "<pre>1 a = 1\n2 b</pre>",
        ),
        ("<p>lazy <noscript>lazy</noscript> tail</p>", "<p>lazy tail</p>"),
        ("<p>a<iframe src=x><p>No frames?</p></iframe>b</p>", "<p>a b</p>"),
        ("<p>a</p><iframe src=x><p>rest of</p><p>it</p></body></html>", "<p>a</p><p>rest of</p><p>it</p>"),
        ("<p>a</p><iframe src=x /><p>rest of</p><p>it</p>", "<p>a</p><p>rest of</p><p>it</p>"),
        ("<p>x</p><svg><d>no</d></svg><svg><a>x<w>no</w></a></svg>", "<p>x</p><svg>x</svg>"),
    ],
)
def test_words_that_a_page_parts_stay_parted(html, expected):
    expected = expected or "<p>So <mjx-c><math><mi>q</mi></math></mjx-c> is</p>"
    assert body(html) == expected
    assert body(expected) == expected


def test_frames_that_no_browser_shows_keep_their_text():
    html = "<frameset><frame src=a><noframes><p>All &lt;b&gt; here.</p></noframes></frameset>"
    out = to_html(cleaned(html).nodes)
    assert "<noframes><p>All &lt;b&gt; here.</p></noframes>" in out
    assert to_html(cleaned(out).nodes) == out


def test_xhtml_may_quote_text():
    xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><p>a <![CDATA[b < c & d]]> e</p></html>"
    assert body(xhtml) == "<p>a b &lt; c &amp; d e</p>"


@pytest.mark.parametrize(
    "address",
    ["javascript:x()", " java&#10;script:x()", "&#1;javascript:x()", "DATA:text/html,x", "vb&#9;script:x"],
)
def test_an_address_that_runs_goes(address):
    assert body(f'<a href="{address}">a</a><img src="{address}" alt=b>') == '<a href="#">a</a><img alt="b">'


def test_text_beside_text_is_one_node():
    nodes = cleaned("<p>a<span>b</span><!-- c -->d <b>e</b>f</p>").nodes
    assert [text for text in nodes.text if text] == ["abd ", "e", "f"]


def test_a_hidden_body_is_shown_by_a_script():
    assert body("<body style='opacity:0'><p>a</p></body>") == "<p>a</p>"


# Page chrome is labelled, never dropped.


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<nav><p>Home</p></nav><main><p>Text.</p></main>", ["links", "prose"]),
        ("<header><p>Slogan</p></header><p>Text.</p>", ["chrome", "prose"]),
        ("<header><h1>Name</h1><p>By me.</p></header><p>Text.</p>", ["prose", "prose"]),
        ("<article><header><p>Dek</p></header><footer><p>Note</p></footer></article>", ["prose"]),
        ("<p>Text.</p><footer><p>Call 555.</p></footer>", ["prose", "chrome"]),
        ("<p>Text.</p><div role=contentinfo><p>Call 555.</p></div>", ["prose", "chrome"]),
        ("<div id=cookie-consent><p>Accept?</p></div><p>Text.</p>", ["chrome", "prose"]),
        ("<div class='alert cookie'><p>A secure cookie.</p></div><p>Text.</p>", ["prose", "prose"]),
        ("<nav><footer><p>In</p></footer></nav><p>Text.</p>", ["links", "prose"]),
    ],
)
def test_page_chrome_is_labelled(html, kinds):
    assert [block.kind for block in tree_of(html, 3).blocks] == kinds

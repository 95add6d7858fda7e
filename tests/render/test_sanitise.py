"""Excerpts are other people's HTML: whatever they hold, only known and closed markup is shown."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longleaf.parse import parse
from longleaf.render.sanitise import MAX_DEPTH, safe_url, sanitise, to_markup
from longleaf.types import Document
from render.markup import NEVER, Written


def clean(html, base="", trail=()):
    return to_markup(sanitise(html, base, trail))


HOSTILE = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script><style><img src=x onerror=alert(1)></style></svg>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVa\tScRiPt&colon;alert(1)">x</a>',
    '<a href=" &#1;javascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<p style="position:fixed;inset:0" onclick="alert(1)">x</p>',
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<form action=//evil><input name=a><button formaction=//evil>go</button></form>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<base href=//evil><link rel=stylesheet href=//evil><meta http-equiv=refresh content='0;//evil'>",
    "</div></div></article></main></body></html><h1>outside",
    "<table><td></table></table><div>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?>",
    "<p id=source-1 class=verdict name=x>x</p>",
    "<plaintext>x",
    "<title></title><textarea></textarea><script>",
    "<b <script>alert(1)</script>",
    "<a href='x\" onmouseover=\"alert(1)'>x</a>",
    "\x00<\x00script>alert(1)",
    "<select><option>a<iframe></select>",
    "<td><tr><table><caption><li><dd>",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_hostile_markup_is_closed_and_harmless(html):
    Written(clean(html))


@pytest.mark.parametrize("html", HOSTILE)
def test_an_excerpt_cannot_leave_its_frame(html):
    """A browser's parser, not ours, says where what follows the excerpt stands."""
    page = f"<body><div id=frame>{clean(html)}</div><p id=after>after</p></body>"
    nodes = parse(Document.from_html(page)).nodes
    ids = {attrs.get("id"): n for n, attrs in enumerate(nodes.attrs)}
    assert ids["after"] >= nodes.end[ids["frame"]]
    assert nodes.tag[nodes.parent[ids["after"]]] == "body"
    assert not NEVER - {"head", "html", "body"} & set(nodes.tag)


TAGS = [
    "p",
    "b",
    "a",
    "li",
    "ul",
    "table",
    "tr",
    "td",
    "tbody",
    "h2",
    "pre",
    "script",
    "style",
    "div",
    "math",
    "svg",
]
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        [
            "<br>",
            "<img alt=x>",
            "<a href='",
            "'>",
            "<!--",
            "-->",
            "<",
            "&lt;script&gt;",
            "&",
            '"',
            "<![CDATA[",
        ]
    ),
    st.text(max_size=5),
)


@given(st.lists(PIECES, max_size=30).map("".join))
@example("<a href='<!--'>")
def test_any_soup_comes_out_balanced(html):
    Written(clean(html))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_cleaning_twice_changes_no_text(html):
    once = clean(html)
    assert "".join(p.text for p in sanitise(once) if p.is_text) == "".join(
        p.text for p in sanitise(html) if p.is_text
    )


def test_what_means_something_is_kept():
    html = (
        '<p dir="rtl" lang="ar">H<sub>2</sub>O <code>a &lt; b</code></p>'
        '<ol start="3" type="a"><li value="7">x</li></ol>'
        '<table><tbody><tr><td colspan="2">y</td></tr></tbody></table><pre>  z\n</pre>'
        '<math display="block"><msup><mi>x</mi><mn>2</mn></msup></math>'
    )
    assert clean(html).replace('"', "'") == html.replace('"', "'")


def test_only_sensible_values_are_kept():
    assert clean('<td colspan="2">a') == " a"
    assert clean('<table><td colspan="x" rowspan="2">a') == '<table><td rowspan="2">a</td></table>'
    assert clean('<p lang="&quot;><b" dir="sideways">a</p>') == "<p>a</p>"


def test_links_are_resolved_against_the_page():
    assert 'href="https://e.org/a/c.html"' in clean('<a href="c.html">x</a>', "https://e.org/a/b.html")
    assert 'href="https://e.org/a/b.html#part"' in clean('<a href="#part">x</a>', "https://e.org/a/b.html")
    assert 'href="site/c.html"' in clean('<a href="c.html">x</a>', "site/b.html")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://e.org/a b", "https://e.org/a%20b"),
        ("page.html#x", "page.html#x"),
        ("mailto:a@e.org", "mailto:a@e.org"),
        ("javascript:alert(1)", ""),
        ("java\nscript:alert(1)", ""),
        ("\x01javascript:alert(1)", ""),
        ("JAVASCRIPT:alert(1)", ""),
        ("data:text/html,x", ""),
        ("file:///etc/hosts", ""),
        ("http://[broken", ""),
    ],
)
def test_addresses(url, safe):
    assert safe_url(url) == safe


def test_files_are_linked_only_where_the_page_is_one():
    assert safe_url("file:///a/b.html", local=True) == "file:///a/b.html"
    assert safe_url("c.html", "file:///a/b.html") == "file:///a/c.html"
    assert safe_url("file:///a/b.html", "https://e.org/") == ""


def test_headings_that_repeat_the_trail_go_and_others_stay():
    html = "<title>T</title><h1>Lamp</h1><h2>Battery <b>life</b></h2><p>x</p><h2>Lamp</h2>"
    assert clean(html, trail=("T", "Lamp", "Battery life")) == "<p>x</p><h4>Lamp</h4>"
    assert clean("<h1>Lamp</h1><p>x</p>", trail=("Cable",)) == "<h4>Lamp</h4><p>x</p>"


def test_pictures_and_controls_become_words():
    assert clean('<img alt="A lamp" src="x.png">') == '<span class="image">A lamp</span>'
    assert clean("<input type=checkbox checked>on") == "☑ on"


def test_depth_is_limited_and_its_text_kept():
    html = clean("<div>" * 5000 + "deep" + "</div>" * 5000)
    assert html.count("<div>") == html.count("</div>") == MAX_DEPTH
    assert "deep" in html

"""Random messy pages for hypothesis: every structure that cleaning and cutting have a rule for."""

from hypothesis import strategies as st

WORDS = """lamp battery lasts eleven hours on low setting e.g. Dr. A. 3.5 x_1 don't AT&T 1<2 naïve Straße
保修期为两年。 東京 ไทย add_argument() U+2014 — ! ? end. Stop. No! Why?""".split()

TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=16).map(" ".join)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def element(tag, inner, attrs=""):
    return f"<{tag}{attrs and ' ' + attrs}>{inner}</{tag}>"


def elements(inner, *tags):
    """One element of ``tags`` (each ``"name attributes"``) around what ``inner`` draws."""
    heads = st.sampled_from([tag.partition(" ")[::2] for tag in tags])
    return st.builds(lambda head, body: element(head[0], body, head[1]), heads, inner)


LEAF = st.sampled_from(
    [
        "<br>",
        '<img src="a.png" alt="a picture of two lamps">',
        '<img src="b.png">',
        "<!-- a comment -->",
        '<span style="display:none">unseen words</span>',
        "<i hidden>unseen</i>",
        "<wbr>",
        "&nbsp;",
        "\n",
        '<input type="checkbox" checked>',
        '<input type="hidden" value="state">',
        '<a id="here"></a>',
        "<script>let a = '<p>code</p>';</script>",
        "</b></p>",
    ]
)
PLAIN = TEXT.map(escaped)
INLINE_TAGS = ("b", "em class=x", "code", "span", "span id=s", "a href=x.html", "sup", "sub", "q", "font")
# Beside the whole strings, touching neighbours: no space between an element and the text around it.
INLINE = st.recursive(
    st.one_of(PLAIN, PLAIN, PLAIN, LEAF),
    lambda inner: st.one_of(
        elements(inner, *INLINE_TAGS),
        st.tuples(inner, st.sampled_from(["", " "]), inner).map("".join),
    ),
    max_leaves=6,
)

HEADING = st.builds(
    lambda level, text, anchor: element(f"h{level}", text, f"id=h{anchor}" if anchor else ""),
    st.integers(1, 6),
    st.one_of(PLAIN, INLINE),
    st.integers(0, 3),
)
CODE = st.lists(st.one_of(PLAIN, st.just(""), st.just("  if x:")), min_size=1, max_size=9).map(
    lambda lines: element("pre", "\n\n" + "\n    ".join(lines) + "\n")
)
CELLS = st.lists(st.one_of(INLINE, PLAIN, st.just("")), min_size=2, max_size=2)


def table(rows, kind):
    """A table of two columns in one of six shapes; every row has two columns once spans are counted."""
    head = "<tr><th>Name</th><th>Hours lit</th></tr>"
    body = [f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows]
    tied = [f"<tr><td rowspan=2>{a}</td><td>{b}</td></tr><tr><td>{b}</td></tr>" for a, b in rows]
    wide = [f"<tr><td colspan=2>{a}</td></tr><tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows]
    return {
        "plain": f"<table>{''.join(body)}</table>",
        "head": f"<table><caption>Lamps</caption>{head}{''.join(body)}</table>",
        "groups": f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>",
        "tied": f"<table>{head}{''.join(tied)}</table>",
        "wide": f"<table>{head}{''.join(wide)}</table>",
        "row heads": "<table>" + "".join(f"<tr><th>{a}<td>{b}" for a, b in rows) + "</table>",
    }[kind]


def tables(*kinds, most=9):
    return st.builds(table, st.lists(CELLS, min_size=1, max_size=most), st.sampled_from(kinds))


TABLE_KINDS = ("plain", "head", "groups", "tied", "wide", "row heads")
TABLE = tables(*TABLE_KINDS)
HIDDEN = st.sampled_from(
    [
        "<div style='visibility:hidden'>unseen</div>",
        "<p hidden>unseen</p>",
        "<style>p{}</style>",
        "<hr>",
    ]
)


def several(inner, most=4):
    return st.lists(inner, min_size=1, max_size=most).map("".join)


def items(inner):
    return several(inner.map(lambda body: element("li", body)), 6)


def pairs(inner):
    return several(
        st.builds(
            lambda terms, body: "".join(f"<dt>{t}</dt>" for t in terms) + f"<dd>{body}</dd>",
            st.lists(PLAIN, min_size=1, max_size=2),
            inner,
        )
    )


LEAF_BLOCK = st.one_of(INLINE, elements(INLINE, "p", "p id=p1"), HEADING, CODE, TABLE, HIDDEN)
BLOCK = st.recursive(
    LEAF_BLOCK,
    lambda inner: st.one_of(
        elements(several(inner), "div", "div class=c", "section", "section id=s1", "article", "nav"),
        elements(several(inner), "blockquote", "details", "form", "figure", "center", "div hidden"),
        elements(items(st.one_of(inner, INLINE)), "ul", "ol start=3", "ul role=navigation"),
        elements(pairs(st.one_of(inner, INLINE)), "dl"),
        inner.map(lambda body: f"<table><tr><td>{body}</td><td>beside</td></tr></table>"),
        several(INLINE, 3).map(lambda body: f"<p>{body}"),
    ),
    max_leaves=10,
)

HEADS = st.sampled_from(
    ["", "<title>A page of lamps</title>", "<!doctype html><html lang=en><title>Lamps</title>"]
)
LIMITS = st.sampled_from((1, 4, 9, 24, 128))


# Composites, because the parts written out in full make failure reports of megabytes.
@st.composite
def pages(draw):
    """A whole page of one to six blocks."""
    return draw(HEADS) + draw(several(BLOCK, 6))


@st.composite
def odd_tables(draw):
    """A page with one table of ragged rows, any spans, row groups in any order and empty cells."""
    cell = st.builds(
        lambda tag, span, body: f"<{tag}{span}>{body}</{tag}>",
        st.sampled_from(["td", "td", "th"]),
        st.sampled_from(["", "", "", " rowspan=2", " rowspan=3", " rowspan=0", " colspan=2"]),
        st.one_of(PLAIN, st.just(""), st.just("lamp")),
    )
    row = st.lists(cell, max_size=3).map(lambda cells: element("tr", "".join(cells)))
    group = st.builds(
        lambda tag, body: element(tag, body) if tag else body,
        st.sampled_from(["", "", "thead", "tbody", "tfoot"]),
        several(row, 5),
    )
    caption = draw(st.sampled_from(["", "<caption>Lamps</caption>"]))
    return f"<title>T</title><p>before</p><table>{caption}{draw(several(group, 3))}</table>"

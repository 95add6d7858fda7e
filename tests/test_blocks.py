"""Algorithm 1: where a page is cut, what its blocks are called, and what they need."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import REAL, TABLED, real_tree, tree_of
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.language import count_words, words
from longleaf.paths import PathLabels
from longleaf.restrict import restrict
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.sizes import halve
from longleaf.tokens import WordCounter
from longleaf.types import Document, Span
from strategies import LIMITS, odd_tables, pages

FEW = settings(max_examples=80, deadline=None)

# Worked examples.

# HtmlRAG's Algorithm 1 by hand, limit 5. body holds 9 words: opened. div holds 6: opened; its own
# text (2 words) is a block, and so is each paragraph; the last paragraph (3) is a block of body.
SIX = "<body><div>own text<p>aa bb</p><p>cc dd</p></div><p>ee ff gg</p></body>"


@pytest.mark.parametrize(
    ("limit", "texts"),
    [
        (9, ["own text\naa bb\ncc dd\nee ff gg"]),
        (6, ["own text\naa bb\ncc dd", "ee ff gg"]),
        (5, ["own text", "aa bb", "cc dd", "ee ff gg"]),
        (1, ["own", "text", "aa", "bb", "cc", "dd", "ee", "ff", "gg"]),
    ],
)
def test_algorithm_1_by_hand(limit, texts):
    assert [block.text for block in tree_of(SIX, limit).blocks] == texts


def test_the_papers_paths():
    tree = tree_of("<div><p>one</p></div><div><p>two</p><p>three</p></div><h1>four</h1>", 1)
    assert [block.path for block in tree.blocks] == [
        "html>body>p",
        "html>body>div>p1",
        "html>body>div>p2",
        "html>body>h1",
    ]
    page = clean(Document.from_html("<div><p>one</p>x</div><div><p>two</p>y</div>"))
    labels = PathLabels(page.nodes)
    last = max(n for n, tag in enumerate(page.nodes.tag) if tag == "p")
    assert labels.path(last) == labels.path(last + 1) == "html>body>div2>p"


def test_parts_of_a_long_paragraph_are_cut_between_sentences():
    tree = tree_of("<p>One <b>two</b> three. Four five six. Seven eight nine.</p>", 6)
    assert [(b.path, b.text) for b in tree.blocks] == [
        ("html>body>p>part1", "One two three."),
        ("html>body>p>part2", "Four five six. Seven eight nine."),
    ]


def test_code_is_cut_between_lines():
    tree = tree_of("<pre>a b\n\n  c d\n  e f\n</pre>", 2)
    assert [block.text for block in tree.blocks] == ["a b", "  c d", "  e f"]
    assert {block.kind for block in tree.blocks} == {"code"}


def test_a_term_stays_with_its_definition_and_goes_along_as_context():
    html = "<dl><dt>term</dt><dd>one two</dd><dt>other</dt><dd>Aa bb cc. Dd ee ff.</dd></dl>"
    tree = tree_of(html, 4)
    assert [block.text for block in tree.blocks] == ["term\none two", "other", "Aa bb cc.", "Dd ee ff."]
    assert [block.header for block in tree.blocks] == ["", "", "other", "other"]
    assert to_text(tree.restrict({3})) == "other\nDd ee ff."


def test_headings_anchor_and_kind():
    html = (
        "<title>T</title><h1>One</h1><p>a</p><h2 id=two>Two</h2><ul><li id=li>b</li></ul>"
        "<h3>Three</h3><pre>c</pre><h2>Four</h2><nav><a href=x>d</a></nav>"
    )
    blocks = {b.text: b for b in tree_of(html, 1).blocks}
    assert blocks["a"].headings == ("One",)
    assert blocks["b"].headings == ("One", "Two")
    assert blocks["c"].headings == ("One", "Two", "Three")
    assert blocks["d"].headings == ("One", "Four")
    assert (blocks["b"].anchor, blocks["c"].anchor, blocks["a"].anchor) == ("li", "li", "")
    kinds = {text: block.kind for text, block in blocks.items()}
    assert kinds["One"] == "heading"
    assert (kinds["a"], kinds["b"], kinds["c"], kinds["d"]) == ("prose", "list", "code", "links")


def test_a_block_belongs_to_one_section():
    tree = tree_of("<div><h2>A</h2><p>x</p><h2>B</h2><p>y</p></div>", 128)
    assert [(b.text, b.headings) for b in tree.blocks if b.kind != "heading"] == [
        ("x", ("A",)),
        ("y", ("B",)),
    ]


@pytest.mark.parametrize(
    "head", ["<tr><th>N</th><th>H</th></tr>", "<thead><tr><td>N</td><td>H</td></tr></thead>"]
)
def test_a_part_of_a_table_has_its_header_row(head):
    rows = "".join(f"<tr><td>lamp{i}</td><td>{i}</td></tr>" for i in range(9))
    tree = tree_of(f"<p>x</p><table>{head}{rows}</table>", 16)
    parts = [b for b in tree.blocks if b.kind == "table"]
    assert len(parts) > 2
    assert all(b.header == "N H" for b in parts)
    assert to_text(tree.restrict({parts[-1].id})).startswith("N\tH\n")


@pytest.mark.parametrize("span", ["2", "0"])
def test_rows_that_a_rowspan_ties_are_never_parted(span):
    tied = f"<tr><td rowspan={span}>aa</td><td>bb</td></tr><tr><td>cc</td></tr>"
    tree = tree_of(f"<table><tr><td>x</td><td>y</td></tr>{tied}</table>", 3)
    assert [b.text for b in tree.blocks] == ["x\ty", "aa\tbb\ncc"]


def test_a_rowspan_ends_with_its_row_group():
    first = "<tbody><tr><td rowspan=9>aa</td><td>bb</td></tr></tbody>"
    tree = tree_of(f"<table>{first}<tbody><tr><td>cc</td><td>dd</td></tr></tbody></table>", 3)
    assert [b.text for b in tree.blocks] == ["aa\tbb", "cc\tdd"]


def test_a_header_of_two_tied_rows_goes_along_whole():
    head = "<tr><th rowspan=2>N</th><th>H</th></tr><tr><th>low</th></tr>"
    rows = "".join(f"<tr><td>lamp{i}</td><td>{i}</td></tr>" for i in range(9))
    tree = tree_of(f"<p>x</p><table>{head}{rows}</table>", 16)
    assert to_text(tree.restrict({tree.blocks[-1].id})).startswith("N\tH\nlow\n")


def test_halving_by_hand():
    assert halve([1, 1, 1, 1], 4) == [(0, 4)]
    assert halve([1, 1, 1, 1], 2) == [(0, 2), (2, 4)]
    assert halve([1, 1, 1, 9], 4) == [(0, 3), (3, 4)]
    assert halve([], 4) == [(0, 0)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 20), st.integers(0, 20))
def test_halving_covers_keeps_the_limit_and_nests(weights, limit, more):
    fine, coarse = halve(weights, limit), halve(weights, limit + more)
    assert [i for a, b in fine for i in range(a, b)] == list(range(len(weights)))
    assert all(b - a == 1 or sum(weights[a:b]) <= limit for a, b in fine)
    assert {a for a, _ in coarse} <= {a for a, _ in fine}


# The rules.


def check_cover(tree):
    whole = words(to_text(tree.page.nodes))
    assert [word for block in tree.blocks for word in words(block.text)] == whole
    assert [block.id for block in tree.blocks] == list(range(len(tree.blocks)))
    assert tree.blocks[0].span.start == (0, 0)
    assert tree.blocks[-1].span.end == (len(tree.page.nodes), 0)
    for one, two in pairwise(tree.blocks):
        assert one.span.end == two.span.start
    assert all(block.words == count_words(block.text) for block in tree.blocks)


@FEW
@given(pages(), LIMITS)
def test_every_word_lies_in_exactly_one_block(html, limit):
    tree = tree_of(html, limit)
    if tree is not None:
        check_cover(tree)


@FEW
@given(odd_tables(), LIMITS)
def test_every_word_of_a_table_lies_in_exactly_one_block(html, limit):
    check_cover(tree_of(html, limit))


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
@pytest.mark.parametrize("limit", [1, 16, 128])
def test_every_word_of_a_real_page_lies_in_exactly_one_block(path, limit):
    check_cover(real_tree(path, limit))


def boundaries(tree):
    """Between which words of the page the blocks begin."""
    return {0, *accumulate(len(words(block.text)) for block in tree.blocks)}


def check_nesting(page, limits):
    trees = [block_tree(page, limit) for limit in limits]
    for fine, coarse in pairwise(trees):
        assert boundaries(coarse) <= boundaries(fine)
        assert len(coarse.blocks) <= len(fine.blocks)


@FEW
@given(st.integers(1, 20), st.lists(st.integers(0, 3), min_size=10, max_size=60))
def test_granularities_of_a_table_nest_whatever_its_header_weighs(head, rows):
    header = f"<tr><th>{'w ' * head}<th>w"
    table = header + "".join(f"<tr><td>{'w ' * size}<td>w" for size in rows)
    check_nesting(clean(Document.from_html(f"<table>{table}</table>")), (8, 16, 32, 64, 128))


@FEW
@given(pages())
def test_granularities_nest(html):
    tree = tree_of(html)
    if tree is not None:
        check_nesting(tree.page, (1, 3, 6, 12, 24, 128))


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
def test_granularities_of_a_real_page_nest(path):
    check_nesting(clean(Document.from_file(path)), (4, 16, 64, 128, 256))


@FEW
@given(pages(), LIMITS)
def test_same_input_same_blocks(html, limit):
    one, two = tree_of(html, limit), tree_of(html, limit)
    if one is not None:
        assert one.blocks == two.blocks
        assert one.parent == two.parent


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_same_real_page_same_blocks(path):
    one, two = real_tree(path), real_tree(path)
    assert [(b.id, b.path, b.anchor, b.text) for b in one.blocks] == [
        (b.id, b.path, b.anchor, b.text) for b in two.blocks
    ]


@FEW
@given(pages(), LIMITS)
def test_what_a_block_needs_stands_in_its_html(html, limit):
    tree = tree_of(html, limit)
    for block in () if tree is None else tree.blocks:
        shown = words(to_text(tree.restrict({block.id})))
        for heading in block.headings:
            assert set(words(heading)) <= set(shown)


def test_a_counter_counts_each_blocks_own_html():
    tree = block_tree(clean(Document.from_html("<p>a b</p><p>c</p>")), 2, WordCounter())
    assert [block.tokens for block in tree.blocks] == [2, 1]
    assert tree_of("<p>a</p>").blocks[0].tokens is None


# Smaller trees.


def test_restricting_to_nothing_leaves_nothing():
    nodes = tree_of(SIX).page.nodes
    assert to_html(restrict(nodes, [], ())) == ""


def test_the_same_context_twice_is_there_once():
    nodes = tree_of("<h1>a</h1><p>b c</p>").page.nodes
    heading = nodes.tag.index("h1")
    whole = Span((0, 0), (len(nodes), 0))
    assert to_html(restrict(nodes, [whole], [heading, heading])) == to_html(nodes)


def test_neighbouring_parts_of_one_text_are_joined():
    tree = tree_of("<p>One two three. Four five six. Seven eight nine.</p>", 3)
    assert to_text(tree.restrict({0, 1})) == "One two three. Four five six."
    assert to_text(tree.restrict({0, 2})) == "One two three. Seven eight nine."
    assert tree.html({0, 1, 2}) == tree.html()


@FEW
@given(pages(), LIMITS, st.data())
def test_a_restricted_tree_says_what_its_blocks_say(html, limit, data):
    tree = tree_of(html, limit)
    if tree is None:
        return
    keep = data.draw(st.sets(st.sampled_from(range(len(tree.blocks)))))
    said = words(to_text(tree.restrict(keep)))
    left = iter(said)
    # In order, with nothing lost; what is there besides is context.
    assert all(word in left for b in tree.blocks if b.id in keep for word in words(b.text))


# Cuts are never inside a word.


@pytest.mark.parametrize(
    "html",
    [
        "x d<c>y<pre>E E 1</pre></c>",
        "i<u>x<h6>d</h6><h3>x y z</h3></u>",
        "a FILTER<tt>_HIT<h2>b</h2><h2>c</h2></tt>",
        "<pre>one two three four<br><br>five: six seven</pre>",
        "<pre>a b c repl<p>d e f</p>acement</pre>",
        "<ul>a b c<li>d e</li></ul>",
        "<dl>a b<dt>c</dt><dd>d</dd></dl>",
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 3, 8])
def test_no_cut_is_inside_a_word(html, limit):
    check_cover(tree_of(html, limit))


@pytest.mark.parametrize(
    "html", ["<ul>a b c<li>d e</li></ul>", "<dl>a b<dt>c</dt><dd>d</dd></dl>", "<p>a<b>c</b> d, e; f</p>"]
)
def test_finer_blocks_refine_bare_text_as_well(html):
    fine, coarse = (tree_of(html, limit) for limit in (1, 3))
    assert {block.span.start for block in coarse.blocks} <= {block.span.start for block in fine.blocks}


def test_a_field_without_words_parts_the_words_beside_it():
    assert [block.text for block in tree_of("<p>back<input>ground</p>").blocks] == ["back ground"]

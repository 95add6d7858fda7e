"""The block tree, drawn."""

import re

import pytest

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.render.tree import BAR, MAX_INDENT, tree_html, tree_text
from longleaf.types import Document
from render.markup import read

HTML = (
    "<title>T &lt;b></title><div><h1>Lamp</h1><p>one two</p></div>"
    "<div><h2>Cable</h2><p>three &amp; <b>x</b></p></div>"
)


def tree_of(html):
    return block_tree(clean(Document.from_html(html)), 2)


TREE = tree_of(HTML)
SCORES = [float(block.id) for block in TREE.blocks]
LAST = len(TREE.blocks) - 1


def test_elements_are_drawn_once_and_blocks_say_what_they_are():
    lines = [line.strip() for line in tree_text(TREE).splitlines()]
    assert lines[0] == "html>head"
    assert sum("body" in line for line in lines) == 1
    assert ["#1", "heading", "1w", "h1", "Lamp"] in [line.split() for line in lines]


def test_the_blocks_stand_below_their_elements():
    lines = tree_text(TREE).splitlines()
    columns = [next(line.index(label) for line in lines if label in line) for label in ("html", "body", "h1")]
    assert columns == sorted(set(columns))


def test_scores_and_cuts_show_without_colour():
    lines = tree_text(TREE, SCORES, kept={LAST}).splitlines()
    assert "\x1b" not in "".join(lines)
    assert sum(" cut " in line for line in lines) == LAST
    assert "█" * BAR in lines[-1]
    assert "·" * BAR in lines[1]


def test_equal_scores_are_no_reason_for_a_full_bar():
    assert "█" not in tree_text(TREE, [0.5] * len(TREE.blocks))


def test_colour_says_nothing_that_the_text_does_not():
    plain = tree_text(TREE, SCORES, {LAST})
    coloured = tree_text(TREE, SCORES, {LAST}, colour=True)
    assert "\x1b[2m" in coloured
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == plain


def test_the_shade_grows_with_the_score():
    lines = tree_text(TREE, SCORES, colour=True).splitlines()
    shades = [re.search(r"\x1b\[38;5;(\d+)m", line) for line in lines]
    found = [int(shade[1]) for shade in shades if shade]
    assert len(found) == len(TREE.blocks)
    assert len(set(found)) == len(found)  # five blocks, five scores, seven shades
    assert "38;5" not in tree_text(TREE, colour=True)  # no scores, no shades


def test_a_block_kept_in_part_says_so():
    lines = tree_text(TREE, SCORES, {1, LAST}, part=LAST).splitlines()
    assert " part " in lines[-1]
    assert sum(" part " in line for line in lines) == 1
    assert tree_html(TREE, SCORES, {1, LAST}, LAST).count("(part)") == 1


def test_html_is_self_contained_and_escaped():
    html = tree_html(TREE, SCORES, {0})
    tags = read(html).tags
    assert not tags & {"script", "link", "img", "iframe"}
    assert "default-src &#x27;none&#x27;" in html
    assert "T &lt;b&gt;" in html
    assert "three &amp; x" in html
    assert html.count("(cut)") == LAST


def test_a_notebook_keeps_its_own_style():
    """Shown inside of another page, the drawing must style nothing but itself."""
    css = tree_html(TREE).partition("<style>")[2].partition("</style>")[0]
    rules = [rule.rpartition("}")[2].strip() for rule in css.split("{")[:-1]]
    named = [rule for rule in rules if rule and not rule.startswith("@media")]
    assert named
    assert all("longleaf-tree" in rule for rule in named)


@pytest.mark.parametrize("draw", [tree_text, tree_html])
def test_depth_is_no_limit(draw):
    drawn = draw(tree_of("<div id=a>x" * 900 + "<p>deep"))
    assert "deep" in drawn
    longest = max(len(line) for line in drawn.splitlines() if "<style" not in line)
    assert longest < 40 * MAX_INDENT

"""The block tree, drawn."""

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.render.tree import tree_html, tree_text
from longleaf.types import Document

TREE = block_tree(
    clean(
        Document.from_html(
            "<title>T</title><div><h1>Lamp</h1><p>one two</p></div><div><h2>Cable</h2><p>three</p></div>"
        )
    ),
    2,
)


def test_elements_are_drawn_once_and_blocks_say_what_they_are():
    lines = tree_text(TREE).splitlines()
    assert lines[0] == "html"
    assert sum(line.strip() == "body" for line in lines) == 1
    assert any("h1" in line and "heading 1w" in line and line.endswith("Lamp") for line in lines)


def test_scores_and_cuts_show_without_colour():
    scores = [float(block.id) for block in TREE.blocks]
    text = tree_text(TREE, scores, kept={len(scores) - 1})
    assert "\x1b" not in text
    assert text.count(" cut") == len(scores) - 1
    assert "████████" in text


def test_colour_only_when_asked():
    assert "\x1b[2m" in tree_text(TREE, kept=set(), colour=True)


def test_html_is_self_contained():
    html = tree_html(TREE, kept={0})
    assert "<script" not in html
    assert "src=" not in html
    assert html.count("(cut)") == len(TREE.blocks) - 1

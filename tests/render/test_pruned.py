"""The view of what the model saw: all of the page, safe, with what was cut faded and why."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import TABLED, tree_of
from longleaf.language import words
from longleaf.prune import prune, prune_trees
from longleaf.prune.lexical import LexicalPruner
from longleaf.render.pruned import pruned_html
from longleaf.serialise.text import to_text
from longleaf.tokens import WordCounter
from longleaf.types import Document
from render.markup import read
from strategies import LIMITS, pages

LAMP = (
    "<title>Lamp &amp; Co</title><h1>Lamp</h1><p>The lamp burns eleven hours.</p>"
    "<p>It weighs <a href='w.html'>300 grams</a> in all its parts together.</p>"
)
HOSTILE = (
    '<p onclick="steal()">lamp burns<script>alert(1)</script>'
    '<img src="http://evil.example/x.png" alt="a lamp">'
    '<a href="javascript:steal()">more of it here</a></p><details><summary>Folded</summary>hours</details>'
    "<p>\ue0007,0\ue001 private \ue000 words</p><iframe src='http://evil.example'></iframe></div></section>"
)
SPAN = re.compile(r'<span class="(kept|came|cut)[^"]*" title="([^"]*)">([^<]*)</span>')


def shown(html):
    """What stands in each state, in reading order: (state, tooltip, text)."""
    return SPAN.findall(html.partition('class="content"')[2])


def view(html, budget=1000, limit=5, question="how many hours the lamp burns", **options):
    tree = tree_of(html, limit)
    return prune_trees([tree], question, budget, LexicalPruner(), WordCounter(), **options)


def test_kept_along_and_cut_are_told_apart_with_their_reasons():
    found = view(LAMP, 7)
    html = pruned_html(found)
    states = {text: (state, why) for state, why, text in shown(html)}
    assert states["The lamp burns eleven hours."][0] == "kept"
    assert "rank 1: fits the budget, score" in states["The lamp burns eleven hours."][1]
    assert states["Lamp"][0] == "came"
    assert "came along" in states["Lamp"][1]
    assert states["300 grams"][0] == "cut"
    assert "over the budget" in states["300 grams"][1]


def test_of_a_block_kept_in_part_the_rest_is_cut():
    found = view("<p>Lamp one two. Lamp three four.</p>", 4, 128)
    assert found.kept.part is not None
    assert [(state, text.strip()) for state, _, text in shown(pruned_html(found))] == [
        ("kept", "Lamp one two."),
        ("cut", "Lamp three four."),
    ]


def test_markers_and_the_list_by_rank_lead_to_each_other():
    for html in (pruned_html(view(LAMP, 7)), pruned_html(view(TABLED.read_text("utf-8"), 300, 40))):
        parsed = read(html)
        assert len(set(parsed.ids)) == len(parsed.ids)
        ours = [target for target in parsed.targets if re.match(r"p[0-9a-f]{6}-", target)]
        assert set(ours) <= set(parsed.ids)
        assert sum("-b" in target for target in ours) >= 3
        assert re.search(r'<a class="at kept"[^>]* aria-label="block \d+, kept: rank 1: ', html)


def test_no_link_stands_in_a_link():
    html = pruned_html(view(TABLED.read_text("utf-8"), 300, 8))
    depth = 0
    for tag in re.findall(r"<a[ >]|</a>", html):
        depth += -1 if tag == "</a>" else 1
        assert depth in (0, 1)


def test_the_view_is_self_contained_and_safe():
    html = pruned_html(view(HOSTILE, 6))
    parsed = read(html)
    assert not parsed.tags & {"script", "link", "img", "iframe", "form", "input"}
    assert "default-src &#x27;none&#x27;" in html
    assert "javascript" not in html
    assert "evil.example" not in html
    assert "alert(1)" not in html
    assert "<details open>" in html
    content = html.partition('class="content"')[2].partition('class="ranking"')[0]
    assert "private" in content
    assert "\ue000" not in content and "\ue001" not in content


def test_notes_and_the_end_of_the_cut_are_said():
    html = pruned_html(view(LAMP, 4, 128))
    assert "no block fits a budget of 4 tokens" in html or "no whole block fits a budget of 4 tokens" in html
    assert "stopped by the budget" in html
    assert "stopped by the end of the pages" in pruned_html(view(LAMP))
    assert "below the floor of 1e+06" in pruned_html(view(LAMP, floor=1e6))


@settings(max_examples=40, deadline=None)
@given(pages(), LIMITS, st.integers(1, 100))
def test_every_word_is_shown_and_what_is_not_faded_is_what_the_output_holds(html, limit, budget):
    tree = tree_of(html, limit)
    if tree is None:
        return
    found = prune_trees([tree], "lamp battery", budget, LexicalPruner(), WordCounter())
    written = pruned_html(found)
    read(written)
    seen = [w for state, _, text in shown(written) if state != "cut" for w in re.findall(r"[a-z]{4,}", text)]
    # Pictures and boxes have words of their own in a view.
    kept = " ".join(to_text(nodes) for nodes in found.nodes)
    assert set(seen) <= set(re.findall(r"[a-z]{4,}", kept + " a picture of two lamps quot"))
    whole = " ".join(text for _, _, text in shown(written))
    body = re.sub(r"&\w+;", " ", whole)
    assert {w for w in words(to_text(tree.page.nodes)) if w in ("battery", "eleven", "setting")} <= set(
        words(body)
    ) | set(words(tree.page.document.title))


def test_several_pages_each_have_a_place_and_a_notebook_shows_all():
    pages = [
        Document.from_html(LAMP, "https://a.example/lamp"),
        Document.from_html("<p>Cable.</p>", "b.html"),
    ]
    found = prune(pages, "lamp", 60, "lexical")
    html = found._repr_html_()
    parsed = read(html)
    assert html.count('<section class="document"') == 2
    assert 'href="https://a.example/lamp"' in html
    assert "Lamp &amp; Co" in html
    assert set(parsed.targets) <= set(parsed.ids)


def test_a_page_with_nothing_kept_is_folded():
    pages = [Document.from_html(LAMP, "a"), Document.from_html("<p>Cable.</p>" * 40, "b")]
    html = pruned_html(prune(pages, "lamp burns", 60, "lexical"))
    assert html.count("Nothing of this page was kept") == 1


@pytest.mark.parametrize("budget", [7, 1000])
def test_a_notebook_keeps_its_own_style(budget):
    """Shown inside of another page, the view must style nothing but itself."""
    css = pruned_html(view(LAMP, budget)).partition("<style>")[2].partition("</style>")[0]
    rules = [rule.rpartition("}")[2].strip() for rule in css.split("{")[:-1]]
    named = [rule for rule in rules if rule and not rule.startswith("@media")]
    assert named
    assert all("longleaf-pruned" in part for rule in named for part in re.split(r",(?![^(]*\))", rule))

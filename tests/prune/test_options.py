"""Options of the cut: a fuller budget, a floor, several pages, presets, and what is said about it."""

from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import REAL, TABLED, shape, tree_of
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import BadBudget, EmptyDocument, MissingExtra, UsageError
from longleaf.parse import parse
from longleaf.prune import prune, prune_trees
from longleaf.prune.budget import MAX_FILL_TRIES, Kept, Pool, cut
from longleaf.prune.lexical import LexicalPruner
from longleaf.prune.ranking import in_turns
from longleaf.tokens import WordCounter, default_counter
from longleaf.types import Document
from strategies import LIMITS, pages

QUESTION = "how long does the battery of the lamp last"
FEW = settings(max_examples=60, deadline=None)
BUDGETS = st.integers(1, 120)


class Given:
    """Scores every block by the number that its text ends with; may have something to say."""

    name = "given"

    def __init__(self, notes=()):
        self.notes = notes
        self.asked = 0

    def score(self, trees, question):
        self.asked += 1
        return [score_of(block) for tree in trees for block in tree.blocks]


def score_of(block):
    try:
        return float(block.text.split()[-1])
    except ValueError:
        return 0.0


def page_at(url, html, limit=128, counter=None):
    return block_tree(clean(Document.from_html(html, url)), limit, counter or WordCounter())


def scored(*rows):
    """A tree with one paragraph a row: (words, score)."""
    said = "".join(f"<p>{'w ' * (n - 1)}{score}</p>" for n, score in rows)
    return page_at("", said, max(n for n, _ in rows))


def texts(pruned):
    return [pruned.pool.blocks[p].text.split()[-1] for p in sorted(pruned.kept.whole)]


# Filling what is left.


def test_smaller_blocks_further_down_take_what_is_left():
    # Each paragraph is one sentence, so none is cut short.
    tree = scored((3, 9), (20, 8), (2, 7), (9, 6), (2, 5))
    plain = prune_trees([tree], "x", 9, Given(), WordCounter())
    full = prune_trees([tree], "x", 9, Given(), WordCounter(), fill=True)
    assert texts(plain) == ["9"]
    assert texts(full) == ["9", "7", "5"]
    assert full.tokens_after <= 9
    assert full.reasons() == [
        "rank 1: fits the budget",
        "rank 2: over the budget",
        "rank 3: fits what was left",
        "rank 4: over the budget",
        "rank 5: fits what was left",
    ]
    assert full.stopped_by == "budget"


@FEW
@given(pages(), LIMITS, BUDGETS, st.sampled_from(["words", "tokens"]))
def test_filling_is_never_over_loses_nothing_and_parses_back(html, limit, budget, counter):
    tree = tree_of(html, limit)
    if tree is None:
        return
    count = {"words": WordCounter(), "tokens": default_counter()}[counter]
    plain = prune_trees([tree], QUESTION, budget, LexicalPruner(), count)
    full = prune_trees([tree], QUESTION, budget, LexicalPruner(), count, fill=True)
    assert count.count(full.html) == full.tokens_after <= budget
    assert plain.kept.whole <= full.kept.whole
    assert (plain.kept.partial, plain.kept.part) == (full.kept.partial, full.kept.part)
    for nodes in full.nodes:
        assert shape(parse(Document.from_html(full.html)).nodes) == shape(nodes)


@pytest.mark.parametrize("path", [*REAL[1:], TABLED], ids=lambda p: p.name)
def test_filling_a_real_page_uses_more_of_the_budget(path):
    tree = block_tree(clean(Document.from_file(path)), 40, default_counter())
    gained = 0
    for budget in (60, 100, 150, 250, 400, 700, 1000):
        plain = prune_trees([tree], QUESTION, budget, LexicalPruner(), attributes=True)
        full = prune_trees([tree], QUESTION, budget, LexicalPruner(), fill=True, attributes=True)
        assert plain.tokens_after <= full.tokens_after <= budget
        assert plain.kept.whole <= full.kept.whole
        gained += full.tokens_after - plain.tokens_after
    assert gained > 0


class Counting(WordCounter):
    """Counts how often a whole page is counted."""

    def __init__(self):
        self.times = 0

    def count(self, text):
        self.times += 1
        return super().count(text)


def test_filling_writes_the_page_a_bounded_number_of_times():
    # Every block looks as if it fits and none does: its headings are too many words.
    long = f"<h2>{'many words of a heading ' * 20}</h2>"
    tree = block_tree(clean(Document.from_html("<p>best one</p>" + f"{long}<p>a b</p>" * 400)), 4)
    counter = Counting()
    order = tuple(range(len(tree.blocks)))
    kept = cut(Pool((tree,), counter), order, 30)
    before = counter.times
    assert cut(Pool((tree,), counter), order, 30, fill=True).whole >= kept.whole
    assert counter.times - 2 * before <= MAX_FILL_TRIES


# The floor.


def test_a_floor_stops_before_the_budget():
    tree = scored((3, 0.9), (3, 0.5), (3, 0.2), (3, 0.1))
    found = prune_trees([tree], "x", 1000, Given(), WordCounter(), floor=0.5)
    assert texts(found) == ["0.9", "0.5"]
    assert found.stopped_by == "floor"
    assert found.why(2) == "rank 3: below the floor of 0.5"
    assert prune_trees([tree], "x", 1000, Given(), WordCounter(), floor=0.1).stopped_by == "end"
    assert prune_trees([tree], "x", 3, Given(), WordCounter(), floor=0.5).stopped_by == "budget"


def test_the_best_block_stays_below_any_floor():
    tree = scored((3, 0.1), (3, 0.3))
    found = prune_trees([tree], "x", 1000, Given(), WordCounter(), floor=99)
    assert texts(found) == ["0.3"]
    assert found.stopped_by == "floor"


def test_nothing_below_the_floor_fills_a_budget():
    tree = scored((3, 0.9), (30, 0.8), (2, 0.1))
    assert texts(prune_trees([tree], "x", 9, Given(), WordCounter(), fill=True, floor=0.5)) == ["0.9"]
    assert texts(prune_trees([tree], "x", 9, Given(), WordCounter(), fill=True)) == ["0.9", "0.1"]


@FEW
@given(pages(), LIMITS, st.lists(BUDGETS, min_size=2, max_size=4), st.floats(-1, 6))
def test_a_floor_keeps_the_rules_of_the_cut(html, limit, budgets, floor):
    tree = tree_of(html, limit)
    if tree is None:
        return
    found = [
        prune_trees([tree], QUESTION, b, LexicalPruner(), WordCounter(), floor=floor) for b in sorted(budgets)
    ]
    for one in found:
        assert one.tokens_after <= one.budget
        assert all(one.scores[p] >= floor for p in one.kept.whole) or one.kept.whole <= {one.order[0]}
    for small, large in pairwise(found):
        if small.kept.whole and not small.kept.bare:
            assert small.kept.whole <= large.kept.whole
    whole = prune_trees([tree], QUESTION, 10**6, LexicalPruner(), WordCounter(), floor=floor)
    assert whole.kept.whole
    assert (whole.stopped_by == "end") == (len(whole.kept.whole) == len(tree.blocks))


def test_a_floor_that_is_no_number_is_refused():
    with pytest.raises(UsageError, match="floor"):
        prune("<p>a</p>", "a", 5, "lexical", floor=float("nan"))


@FEW
@given(pages(), LIMITS, st.lists(BUDGETS, min_size=1, max_size=3), st.booleans(), st.floats(-1, 4))
def test_another_budget_keeps_the_options(html, limit, budgets, fill, floor):
    tree = tree_of(html, limit)
    if tree is None:
        return
    options = {"fill": fill, "floor": floor}
    first = prune_trees([tree], QUESTION, 50, LexicalPruner(), WordCounter(), **options)
    for budget in budgets:
        anew = prune_trees([tree], QUESTION, budget, LexicalPruner(), WordCounter(), **options)
        assert first.at(budget).to_dict() == anew.to_dict()


# Several pages.

LAMP = "<title>Lamp &amp; Co</title><h1>Lamp</h1><p>The lamp burns eleven hours.</p><p>It weighs little.</p>"
CABLE = "<title>Cable</title><h1>Cable</h1><p>A cable is for the lamp.</p><p>It is red.</p>"


def two_pages(**options):
    trees = [page_at("https://a.example/?x=1&y=2", LAMP, 5), page_at("b.html", CABLE, 5)]
    return prune_trees(trees, "lamp burns", 1000, LexicalPruner(), WordCounter(), **options)


def test_each_page_has_its_title_and_address_once_and_they_count():
    found = two_pages()
    lamp, cable = found.html.split("\n")
    assert lamp.startswith('<html><head><link rel="canonical" href="https://a.example/?x=1&amp;y=2"><title>')
    assert lamp.count("Lamp &amp; Co") == lamp.count("a.example") == 1
    assert cable.count("b.html") == 1
    assert cable.count("<title>") == 1
    assert found.tokens_after == WordCounter().count(found.html)


def test_one_page_is_left_as_it_is():
    tree = page_at("b.html", CABLE)
    found = prune_trees([tree], "cable", 1000, LexicalPruner(), WordCounter())
    assert found.html == tree.html()
    assert "b.html" not in found.markdown + found.text


def test_a_title_that_the_cut_left_out_comes_back_and_one_that_a_heading_says_does_not():
    named = page_at("a", "<title>Shop</title><h1>Lamp</h1><p>burns</p>", 1)
    same = page_at("b", "<title>Lamp</title><h1>Lamp</h1><p>burns</p>", 1)
    found = prune_trees([named, same], "lamp burns", 1000, LexicalPruner(), WordCounter())
    title = next(p for p, block in enumerate(found.pool.blocks) if block.text == "Shop")
    rest = frozenset(range(len(found.pool.blocks))) - {title, len(named.blocks)}
    one, other = found.pool.html(Kept(rest)).split("\n")
    assert one.count("<title>Shop</title>") == 1
    assert "<title>" not in other


def test_markdown_and_text_name_the_page():
    found = two_pages()
    assert found.markdown.startswith("# Lamp & Co\n\n<https://a.example/?x=1&y=2>\n\n# Lamp\n")
    assert "\n\n# Cable\n\n<b.html>\n\nA cable" in found.markdown
    assert found.text.startswith("Lamp & Co\nhttps://a.example/?x=1&y=2\nLamp\n")


def test_json_names_the_pages():
    data = two_pages().to_dict()
    assert [(d["url"], d["title"]) for d in data["documents"]] == [
        ("https://a.example/?x=1&y=2", "Lamp & Co"),
        ("b.html", "Cable"),
    ]
    assert {row["document_id"] for row in data["blocks"]} == {d["id"] for d in data["documents"]}


@FEW
@given(st.lists(pages(), min_size=2, max_size=3), LIMITS, BUDGETS, st.sampled_from(["all", "page"]))
def test_several_pages_are_never_over_and_keep_order_and_boundaries(htmls, limit, budget, pool):
    trees = []
    for number, html in enumerate(htmls):
        try:
            trees.append(page_at(f"http://x.example/{number}", html, limit))
        except EmptyDocument:
            continue
    if len(trees) < 2:
        return
    found = prune_trees(trees, QUESTION, budget, LexicalPruner(), WordCounter(), pool=pool)
    assert WordCounter().count(found.html) == found.tokens_after <= budget
    shown = [found.html.find(f"http://x.example/{number}") for number in range(len(htmls))]
    there = [place for place in shown if place >= 0]
    assert there == sorted(there)
    # Each page is the document that its own cut is, whatever stands beside it.
    if not found.kept.bare:
        assert found.html.count('<link rel="canonical"') == len(found.nodes)
    larger = found.at(budget + 20)
    if found.kept.whole:
        assert found.kept.whole <= larger.kept.whole


@given(st.lists(st.lists(st.integers(1, 30), max_size=6), min_size=1, max_size=4))
def test_pages_take_turns(sizes):
    trees = [scored(*[(n, 100 - i) for i, n in enumerate(rows)]) for rows in sizes if rows]
    if not trees:
        return
    scores = Given().score(trees, "x")
    order = in_turns([tree.blocks for tree in trees], scores)
    assert sorted(order) == list(range(len(scores)))
    starts = [sum(len(t.blocks) for t in trees[:n]) for n in range(len(trees))]
    assert list(order[: len(trees)]) == starts  # the best of every page before any second
    owner = [n for n, tree in enumerate(trees) for _ in tree.blocks]
    cost = [b.tokens or b.words for tree in trees for b in tree.blocks]
    had, left = [0] * len(trees), [len(tree.blocks) for tree in trees]
    for position in order:
        page = owner[position]
        assert had[page] == min(h for h, n in zip(had, left, strict=True) if n)
        had[page] += max(1, cost[position])
        left[page] -= 1


def test_a_pool_of_each_page_gives_every_page_a_part():
    strong, weak = scored(*[(5, 9)] * 6), scored(*[(5, 1)] * 6)
    one = prune_trees([strong, weak], "x", 21, Given(), WordCounter())
    each = prune_trees([strong, weak], "x", 21, Given(), WordCounter(), pool="page")
    assert set(texts(one)) == {"9"}
    assert texts(each).count("9") == texts(each).count("1")
    with pytest.raises(UsageError, match="'best'"):
        prune("<p>a</p>", "a", 5, "lexical", pool="best")


def test_a_page_that_cannot_be_used_is_left_out_and_told():
    good, empty = Document.from_html(LAMP, "good"), Document.from_html("<p> </p>", "empty.html")
    found = prune([empty, good], "lamp", 100, "lexical")
    assert len(found.trees) == 1
    assert len(found.notes) == 1
    assert "empty.html" in found.notes[0]
    assert found.to_dict()["notes"] == list(found.notes)
    other = Document.from_html("", "other.html")
    with pytest.raises(EmptyDocument, match=r"empty\.html"):
        prune([empty, other], "lamp", 100, "lexical")


# What is said about it.


def test_a_budget_below_the_smallest_block_says_where_it_cut():
    tree = page_at("", "<p>One two three. Four five six. Seven eight.</p>")
    found = prune_trees([tree], "two", 5, LexicalPruner(), WordCounter())
    assert found.text == "One two three."
    assert found.notes == ("no whole block fits a budget of 5 tokens: the best one was cut after a sentence",)
    rows = "".join(f"<tr><td>lamp {i}</td><td>burns {i} hours</td></tr>" for i in range(30))
    table = page_at("", f"<table>{rows}</table>")
    found = prune_trees([table], "lamp", 12, LexicalPruner(), WordCounter())
    assert "cut after a row" in found.notes[0]
    assert found.at(10**4).notes == ()


def test_leaving_headings_out_is_said():
    tree = tree_of("<h1>a very long heading of nine words in all</h1><p>Eleven hours. And more of it.</p>", 8)
    found = prune_trees([tree], "eleven hours", 4, LexicalPruner(), WordCounter())
    assert found.notes == (
        "no block fits a budget of 4 tokens with its headings: one was cut after a sentence, without them",
    )
    assert "without its headings" in found.why(found.kept.partial)


def test_a_budget_for_nothing_says_so():
    found = prune_trees([tree_of("<p>one two three</p>")], "two", 1, LexicalPruner(), WordCounter())
    assert found.html == ""
    assert found.notes == ("nothing fits a budget of 1 token",)


def test_a_pruner_may_say_something_once():
    trees = [scored((3, 1)), scored((3, 2))]
    found = prune_trees(trees, "x", 100, Given(["plain prompt used"]), WordCounter(), pool="page", told=["a"])
    assert found.notes == ("a", "plain prompt used")
    assert found.at(50).notes == found.notes


# Presets.


def test_presets_name_pruner_and_budget():
    found = prune(LAMP, "lamp", preset="fast")
    assert (found.stage, found.budget) == ("lexical", 4096)
    assert prune(LAMP, "lamp", 7, preset="fast").budget == 7
    assert prune(LAMP, "lamp", pruner=Given(), preset="paper", counter=WordCounter()).stage == "given"
    with pytest.raises(UsageError, match="'best'"):
        prune(LAMP, "lamp", preset="best")
    with pytest.raises(BadBudget):
        prune(LAMP, "lamp", 0, preset="fast")


def test_a_preset_without_its_pruner_says_so(monkeypatch):
    def missing(name, encoder=None):
        raise MissingExtra(f"{name} needs a model", "pip install it")

    monkeypatch.setattr(import_module("longleaf.prune"), "make_pruner", missing)
    with pytest.raises(MissingExtra, match="preset paper cannot be used: two-stage needs a model"):
        prune(LAMP, "lamp", preset="paper")

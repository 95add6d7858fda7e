"""The cut: never over the budget, the budget used, and what is kept still a page."""

from collections import Counter
from itertools import pairwise, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import REAL, TABLED, cells_of_rows, columns, real_tree, shape, tree_of
from longleaf.blocks import span_text
from longleaf.errors import BadBudget, EmptyQuestion, UsageError
from longleaf.language import words
from longleaf.parse import parse
from longleaf.prune import make_pruner, prune, prune_trees
from longleaf.prune.budget import MAX_TRIED, Kept, Pool, check_budget, cut
from longleaf.prune.lexical import LexicalPruner
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.tokens import WordCounter, default_counter
from longleaf.types import Document, Span
from longleaf.units import units
from strategies import LIMITS, TABLE_KINDS, odd_tables, pages, table

QUESTION = "how long does the battery of the lamp last"
FEW = settings(max_examples=60, deadline=None)
COUNTERS = {"words": WordCounter(), "tokens": default_counter()}


def test_lines_that_a_dropped_element_parted_stay_two():
    html = "<div>The plan costs ten each month<nav><a href=1>x y z</a></nav>Plans by year cost ninety</div>"
    tree = tree_of(html, 8)
    first, last = tree.blocks[0].id, tree.blocks[-1].id
    nodes = tree.restrict({first, last})
    assert "month\nPlan" in to_text(nodes)
    assert "<nav></nav>" in to_html(nodes)


class InOrder:
    """Ranks blocks as they stand, headings last; counts how often it is asked."""

    name = "given"

    def __init__(self):
        self.asked = 0

    def score(self, trees, question):
        self.asked += 1
        blocks = [block for tree in trees for block in tree.blocks]
        return [-100.0 if block.kind == "heading" else -float(i) for i, block in enumerate(blocks)]


def pruned(tree, budget, counter="words"):
    return prune_trees([tree], QUESTION, budget, LexicalPruner(), COUNTERS[counter])


# Worked examples.

PARAGRAPHS = "<html><title>T</title>" + "".join(f"<p>blk{i} {' '.join([f'w{i}'] * 9)}</p>" for i in range(10))


@pytest.mark.parametrize(("budget", "kept"), [(25, 2), (35, 3), (55, 6), (98, 10), (7, 0)])
def test_the_best_ranked_blocks_are_kept_where_the_reference_keeps_others(budget, kept):
    # By white space: 1 for the head, 9 a paragraph after the first (markup touches the words) and 10 for it.
    tree = tree_of(PARAGRAPHS, 10)
    found = prune_trees([tree], "x", budget, InOrder(), WordCounter())
    assert sorted(tree.blocks[p].text.split()[0] for p in found.kept.whole if p) == [
        f"blk{i}" for i in range(kept)
    ]
    assert found.tokens_after <= budget


def test_the_rest_of_the_budget_takes_whole_sentences_of_the_next_block():
    tree = tree_of("<p>One two three. Four five.</p><p>Six seven. Eight nine ten.</p>", 5)
    texts = {b: prune_trees([tree], "x", b, InOrder(), WordCounter()).text for b in range(1, 10)}
    first, second = "One two three. Four five.", "Six seven. Eight nine ten."
    assert texts[1] == texts[2] == ""
    # The space after a sentence makes a word with the end tag ("three. </p>"), so the shorter one fits.
    assert texts[3] == "Six seven."
    assert texts[4] == "One two three."
    # Markup glues words: "five.</p><p>Six" is one to this counter.
    assert texts[5] == texts[6] == first
    assert texts[7] == texts[8] == f"{first}\nSix seven."
    assert texts[9] == f"{first}\n{second}"


def test_a_kept_block_brings_its_headings_and_a_table_part_its_header():
    rows = "".join(f"<tr><td>lamp{i}</td><td>{i} hours</td></tr>" for i in range(30))
    html = (
        "<h1>Lamps</h1><h2>Burning</h2><table><caption>Times</caption><tr><th>Name</th><th>Hours</th></tr>"
        f"{rows}</table><h2>Other</h2><p>other words here</p>"
    )
    found = prune_trees([tree_of(html, 24)], "lamp17", 30, LexicalPruner(), WordCounter())
    for wanted in ("<h1>Lamps</h1>", "<h2>Burning</h2>", "<caption>Times", "<th>Name</th>", "lamp17"):
        assert wanted in found.html
    assert "Other" not in found.html


def test_without_room_for_headings_the_sentence_is_kept_without_them():
    tree = tree_of("<h1>a very long heading of nine words in all</h1><p>Eleven hours.</p><p>More.</p>", 3)
    found = prune_trees([tree], "eleven hours", 4, LexicalPruner(), WordCounter())
    assert found.kept.bare
    assert found.text == "Eleven hours."


def test_a_short_first_sentence_is_found_among_many_long_blocks():
    long = "".join(f"<p>{'word ' * 30}end{i}.</p>" for i in range(200))
    html = f"<p>Yes. {'Long ' * 60}</p>"
    tree = tree_of(f"{long}{html}", 128)
    assert prune_trees([tree], "word", 3, LexicalPruner(), WordCounter()).text == "Yes."


@pytest.mark.parametrize("budget", [0, -1, -(10**9)])
def test_a_budget_that_is_none_is_refused(budget):
    with pytest.raises(BadBudget, match=str(budget)):
        check_budget(budget)
    with pytest.raises(BadBudget):
        prune("<p>a</p>", "a", budget, "lexical")
    with pytest.raises(BadBudget):
        prune("<p>a</p>", "a", 5, "lexical").at(budget)


def test_questions_and_pruners_that_are_none_are_refused():
    with pytest.raises(EmptyQuestion):
        prune("<p>a</p>", " ?! ", 5, "lexical")
    with pytest.raises(UsageError, match="'best'"):
        make_pruner("best")


# The rules, on random pages and on real ones.


def check_rules(tree, counter, budgets):
    """One after the other: within the budget, counted right, and a superset of the smaller ones."""
    found = [pruned(tree, budget, counter) for budget in sorted(budgets)]
    for one in found:
        assert COUNTERS[counter].count(one.html) == one.tokens_after <= one.budget
    for small, large in pairwise(found):
        # From where the best block's first unit fits with its context (see budget.py).
        if small.kept.whole or (small.kept.partial >= 0 and not small.kept.bare):
            assert small.kept.whole <= large.kept.whole
            assert not Counter(words(small.text)) - Counter(words(large.text))


@FEW
@given(pages(), LIMITS, st.lists(st.integers(1, 120), min_size=2, max_size=5))
def test_never_over_the_budget_and_more_keeps_a_superset(html, limit, budgets):
    tree = tree_of(html, limit)
    if tree is not None:
        check_rules(tree, "words", budgets)
        check_rules(tree, "tokens", [5 * budget for budget in budgets])


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
@pytest.mark.parametrize("limit", [40, 128])
def test_never_over_the_budget_on_real_pages(path, limit):
    tree = real_tree(path, limit)
    check_rules(tree, "words", [1, 2, 5, 9, 14, 30, 77, 150, 400, 1000])
    check_rules(tree, "tokens", [1, 8, 20, 45, 99, 200, 512, 1500, 4096])


@FEW
@given(pages(), LIMITS)
def test_keeping_all_is_the_identity(html, limit):
    tree = tree_of(html, limit)
    if tree is not None:
        whole = to_html(tree.page.nodes)
        assert pruned(tree, 10**6).html == whole == tree.html()
        assert pruned(tree, COUNTERS["words"].count(whole) or 1).html == whole
        assert to_html(tree.restrict(set(range(len(tree.blocks))))) == whole


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_keeping_all_of_a_real_page_is_the_identity(path):
    tree = real_tree(path)
    found = pruned(tree, 10**7, "tokens")
    assert found.html == to_html(tree.page.nodes) == to_html(tree.restrict(set(range(len(tree.blocks)))))
    assert found.tokens_after == found.tokens_before
    assert pruned(tree, found.tokens_before, "tokens").html == found.html
    assert len(pruned(tree, found.tokens_before - 1, "tokens").html) < len(found.html)


def smallest_start(tree, counter):
    """The tokens of the cheapest beginning of a block that says something, without headings."""
    pool, nodes, costs = Pool((tree,), counter), tree.page.nodes, []
    for block in tree.blocks:
        parts = units(nodes, block)
        for part, after in zip_longest(parts, parts[1:]):
            start = Span(block.span.start, part.span.end)
            if words(span_text(nodes, start)) and not (after and after.tied):
                costs.append(pool.cost(Kept(frozenset(), block.id, start, bare=True)))
                break
    return min(costs, default=0)


@FEW
@given(pages(), LIMITS, st.sampled_from(sorted(COUNTERS)))
def test_never_empty_while_there_is_room_for_one_sentence(html, limit, counter):
    tree = tree_of(html, limit)
    # On a page of more blocks the search for the cheapest one is a good guess (MAX_TRIED).
    if tree is not None and words(to_text(tree.page.nodes)) and len(tree.blocks) <= MAX_TRIED:
        assert words(pruned(tree, smallest_start(tree, COUNTERS[counter]), counter).text)


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_a_real_page_is_never_empty_while_there_is_room(path):
    tree = real_tree(path)
    assert words(pruned(tree, smallest_start(tree, COUNTERS["tokens"]), "tokens").text)


@FEW
@given(pages(), LIMITS, st.integers(1, 120))
def test_the_output_parses_back_to_the_same_tree(html, limit, budget):
    tree = tree_of(html, limit)
    if tree is None:
        return
    found = pruned(tree, budget)
    for nodes in found.nodes:
        assert shape(parse(Document.from_html(to_html(nodes))).nodes) == shape(nodes)


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
@pytest.mark.parametrize("budget", [60, 300, 2000, 10**6])
def test_a_pruned_real_page_parses_back_to_the_same_tree(path, budget):
    (nodes,) = pruned(real_tree(path), budget, "tokens").nodes
    assert shape(parse(Document.from_html(to_html(nodes))).nodes) == shape(nodes)


def check_tables(tree, budget):
    before, cells = columns(tree.page.nodes), cells_of_rows(tree.page.nodes)
    for nodes in pruned(tree, budget).nodes:
        assert columns(nodes).items() <= before.items()
        assert cells_of_rows(nodes).items() <= cells.items()


@FEW
@given(pages(), LIMITS, st.integers(1, 120))
def test_rows_keep_their_cells_and_cells_their_columns(html, limit, budget):
    tree = tree_of(html, limit)
    if tree is not None:
        check_tables(tree, budget)


@settings(max_examples=200, deadline=None)
@given(odd_tables(), LIMITS, st.integers(1, 60))
def test_rows_keep_their_columns_whatever_spans_a_table_has(html, limit, budget):
    check_tables(tree_of(html, limit), budget)


@pytest.mark.parametrize("limit", [8, 40])
def test_rows_of_a_real_page_keep_their_columns(limit):
    tree = real_tree(TABLED, limit)
    assert columns(tree.page.nodes)
    for budget in (40, 90, 150, 400, 900, 2000):
        check_tables(tree, budget)


@FEW
@given(
    st.sampled_from([kind for kind in TABLE_KINDS if kind in ("head", "groups", "tied", "wide")]),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["one two", "3"])), min_size=4, max_size=20),
    st.integers(8, 40),
)
def test_the_header_row_stays_with_every_kept_row(kind, rows, budget):
    tree = tree_of(f"<p>words before the table</p>{table(rows, kind)}", 10)
    found = prune_trees([tree], "one two", budget, LexicalPruner(), WordCounter())
    if "<td" in found.html and not found.kept.bare:
        assert "<tr><th>Name</th><th>Hours lit</th></tr>" in found.html


@FEW
@given(pages(), LIMITS, st.lists(st.integers(1, 100), min_size=1, max_size=4))
def test_another_budget_is_the_same_as_pruning_anew(html, limit, budgets):
    tree = tree_of(html, limit)
    if tree is None:
        return
    ranker = InOrder()
    first = prune_trees([tree], QUESTION, 50, ranker, WordCounter())
    for budget in budgets:
        again = first.at(budget)
        anew = prune_trees([tree], QUESTION, budget, InOrder(), WordCounter())
        assert (again.kept, again.html, again.tokens_after) == (anew.kept, anew.html, anew.tokens_after)
        assert again.to_dict() == anew.to_dict()
    assert ranker.asked == 1


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_another_budget_on_a_real_page(path):
    tree = real_tree(path)
    first = pruned(tree, 4096, "tokens")
    assert [first.at(b).html for b in (50, 500, 5000)] == [
        pruned(tree, b, "tokens").html for b in (50, 500, 5000)
    ]


@FEW
@given(pages(), LIMITS, st.integers(1, 120))
def test_same_input_same_bytes(html, limit, budget):
    one, two = tree_of(html, limit), tree_of(html, limit)
    if one is not None:
        assert pruned(one, budget).to_dict() == pruned(two, budget).to_dict()


def test_pages_are_pooled_and_each_stays_a_document():
    pair = [tree_of("<p>the lamp burns eleven hours</p>"), tree_of("<p>nothing of note</p>")]
    found = prune_trees(pair, "lamp hours", 5, LexicalPruner(), WordCounter())
    assert found.text == "the lamp burns eleven hours"
    whole = found.at(1000)
    assert whole.html == "\n".join(tree.html() for tree in pair)
    assert [row["document_id"] for row in whole.to_dict()["blocks"]] == [t.page.document.id for t in pair]


def test_why_says_the_rank_and_the_reason():
    tree = tree_of("<p>lamp lamp. Two words.</p><p>lamp other. More words here.</p><p>third one here</p>", 5)
    found = prune_trees([tree], "lamp", 6, InOrder(), WordCounter())
    assert [found.why(i) for i in range(len(tree.blocks))] == [
        "rank 1: fits the budget",
        "rank 2: only its beginning fits",
        "rank 3: over the budget",
    ]


def test_the_cut_alone_is_pure():
    tree = tree_of(PARAGRAPHS, 10)
    pool = Pool((tree,), WordCounter())
    order = list(range(len(tree.blocks)))
    assert cut(pool, order, 30) == cut(Pool((tree,), WordCounter()), tuple(order), 30)
    assert cut(pool, order, 10**6) == Kept(frozenset(order), links=True) == pool.everything()

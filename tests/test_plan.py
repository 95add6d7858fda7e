"""The rule-based planner: what is unsaid, never what is said."""

from longleaf.plan import KEYWORDS, PLAN_WEIGHT, QUESTION_WEIGHT, Planner
from longleaf.retrieve import Found
from longleaf.types import Block, Span


def block(headings, text="some text"):
    return Block(0, "html>body>p", Span((0, 0), (1, 0)), text, 2, None, headings, "prose", "")


def found(headings):
    return Found(0, 0, block(headings), 1.0, 1.0, 0.0)


RARITY = {"folder": 5.0, "file": 1.0, "safari": 3.0}


def planner(question="How do I move files into a folder in Safari?"):
    return Planner(question, lambda term: RARITY.get(term, 2.0))


def test_first_plan_holds_the_question_words_rarest_first():
    plan = planner().first()
    assert plan.keywords[0] == "folder"
    assert plan.keywords[-1] == "files"
    assert "how" not in plan.keywords
    assert plan.stop is None


def test_no_more_keywords_than_the_papers_example_has():
    plan = planner("alpha beta gamma delta epsilon zeta eta theta").first()
    assert len(plan.keywords) == KEYWORDS == 5


def test_covered_words_are_not_planned_again():
    covered = frozenset(("folder", "safari"))
    plan = planner().next(covered, [])
    assert "folder" not in plan.keywords
    assert "safari" not in plan.keywords


def test_headings_of_the_evidence_bring_what_the_question_lacks():
    said = frozenset(("move", "file", "folder", "safari"))
    plan = planner().next(said, [found(("Guide", "Automator actions"))])
    assert set(plan.keywords) == {"automator", "actions", "guide"}


def test_nothing_unsaid_means_complete():
    said = frozenset(("move", "file", "folder", "safari"))
    plan = planner().next(said, [found(("Folder", "Files"))])
    assert plan.stop == "complete"
    assert plan.keywords == ()


def test_the_question_leads_the_query_and_the_plan_steers_it():
    p = planner()
    plan = p.next(frozenset(("move", "file", "folder", "safari")), [found(("Automator",))])
    query = p.query(plan)
    assert query["folder"] == QUESTION_WEIGHT
    assert query["autom"] == PLAN_WEIGHT

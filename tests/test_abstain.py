"""Whether the pages answer at all."""

from longleaf.abstain import confidence
from longleaf.index.memory import MemoryIndex
from longleaf.models.scripted import HashEncoder
from longleaf.plan import Planner
from longleaf.retrieve import Retriever
from longleaf.types import Document

PAGE = """<title>Lamps</title><h1>Lamps</h1><h2>Battery</h2>
<p>The battery of the lamp lasts eleven hours on the low setting and three hours on the high one.</p>
<h2>Repair</h2><p>Send the lamp to the workshop in town.</p>"""


def trust(question, encoder=None):
    index = MemoryIndex.of([Document.from_html(PAGE, "lamps.html")])
    planner = Planner(question, index.bm25.weight)
    found = Retriever(index, question, encoder).search(planner.query(planner.first()))
    return confidence(index, question, found)


def test_what_the_page_says_is_enough():
    assert trust("How long does the battery of the lamp last?").enough
    assert trust("How long does the battery of the lamp last?", HashEncoder()).enough


def test_what_it_does_not_say_is_not():
    assert not trust("Who won the chess olympiad in Reykjavik?").enough
    assert not trust("Who won the chess olympiad in Reykjavik?", HashEncoder()).enough


def test_more_of_the_question_held_is_more_trust():
    all_of_it = trust("battery hours low setting")
    half = trust("battery hours glacier expedition")
    none = trust("glacier expedition")
    assert all_of_it.coverage == 1.0
    assert all_of_it.score > half.score > none.score == 0.0


def test_headings_and_title_count_as_held():
    assert trust("lamp repair").coverage == 1.0


def test_nothing_found_is_no_trust():
    index = MemoryIndex.of([Document.from_html(PAGE, "lamps.html")])
    assert confidence(index, "glacier", []).score == 0.0

"""The loop: what it says, what it cites, why it stops."""

import re
from pathlib import Path

import pytest

from longleaf.answer import Options, ask, stream
from longleaf.errors import BadBudget, EmptyQuestion
from longleaf.index.memory import MemoryIndex
from longleaf.models.scripted import HashEncoder
from longleaf.types import (
    Cited,
    Document,
    Done,
    EvidenceReady,
    Planned,
    Retrieved,
    StepDone,
    TextDelta,
    Warned,
)

SITE = Path(__file__).parent.parent / "examples" / "site"
PAGE = """<html><head><title>Lamp manual</title></head><body>
<nav><ul><li><a href="#a">Battery</a></li>
<li><a href="#b">Light</a></li><li><a href="#c">Repair</a></li></ul></nav>
<h1 id="top">Lamp manual</h1>
<p>This manual tells how to use the Glow 7 lamp at home and on the road.</p>
<h2 id="battery">How long does the battery last?</h2>
<p>The battery of the lamp lasts for 11 hours on the low setting. On the high setting it lasts 3 hours.</p>
<p>Charge the battery in these steps, which take about two hours in all:</p>
<ol><li>Open the back cover of the lamp.</li><li>Plug the cable into the port.</li>
<li>Wait until the light is green.</li></ol>
<table><tr><th>Setting</th><th>Hours</th></tr>
<tr><td>Low</td><td>11</td></tr><tr><td>High</td><td>3</td></tr></table>
<h2 id="code">Reading the battery from a program</h2>
<p>A program can read the level of the battery through the serial port as follows:</p>
<pre><code>port = open("lamp")
print(port.battery)
</code></pre>
<h2 id="repair">Repair</h2>
<p>Send the lamp to the workshop in the old town. Repairs take ten working days.</p>
</body></html>"""
SAID = "The battery of the lamp lasts for 11 hours on the low setting. On the high setting it lasts 3 hours."
QUESTION = "How long does the battery of the lamp last?"


@pytest.fixture
def index():
    return MemoryIndex.of([Document.from_html(PAGE, "lamp.html")])


def answer(index, question=QUESTION, **options):
    for event in stream(question, index, Options(**options), HashEncoder()):
        if isinstance(event, Done):
            return event.answer
    raise AssertionError("no Done")


def test_answers_from_the_right_section_with_a_reason_to_stop(index):
    result = answer(index)
    assert not result.abstained
    assert "11 hours" in result.text
    assert result.stop_reason in ("complete", "no_new_evidence", "repeats")
    assert result.citations[0].anchor == "battery"


def test_every_sentence_is_cited_and_every_quote_stands_in_its_block(index):
    result = answer(index)
    blocks = index.blocks(0)
    assert result.citations
    spoken = list(result.text)
    for citation in result.citations:
        text = blocks[citation.block_id].text
        assert citation.quote in text
        assert citation.prefix + citation.quote + citation.suffix in text
        assert citation.verdict == "supported"
        for at in range(citation.start, citation.end):
            spoken[at] = " "
    left = re.sub(r"\[\d+\]", "", "".join(spoken))
    assert not left.strip(), f"not cited: {left!r}"


def test_spans_are_followed_by_their_own_marker(index):
    result = answer(index)
    for citation in result.citations:
        assert re.match(rf"\s*\[{citation.marker}\]", result.text[citation.end :])


def test_lists_tables_and_code_stay_whole(index):
    result = answer(
        index, "How do I charge the battery of the lamp, how long does it last, how do programs read it?"
    )
    assert "1. Open the back cover of the lamp." in result.text
    assert "3. Wait until the light is green." in result.text
    code = answer(index, "How can a program read the level of the battery through the serial port?")
    assert '```\nport = open("lamp")\nprint(port.battery)\n```' in code.text


def test_streamed_text_and_citations_are_the_final_ones(index):
    events = list(stream(QUESTION, index, Options(), HashEncoder()))
    result = events[-1].answer
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == result.text
    assert tuple(e.citation for e in events if isinstance(e, Cited)) == result.citations
    assert tuple(e.step for e in events if isinstance(e, StepDone)) == result.steps
    assert isinstance(events[0], Planned)
    assert isinstance(events[1], Retrieved)
    assert isinstance(events[-1], Done)
    assert sum(isinstance(e, Done) for e in events) == 1


def test_evidence_stays_within_the_budget(index):
    for budget in (80, 200, 400):
        for event in stream(QUESTION, index, Options(budget=budget), HashEncoder()):
            if isinstance(event, EvidenceReady):
                assert sum(e.tokens_after for e in event.evidence) <= budget


def test_what_is_said_was_in_evidence(index):
    for step in answer(index).steps:
        kept = {(e.document_id, b) for e in step.evidence for b in e.kept}
        assert step.citations
        assert kept


def test_same_question_same_answer(index):
    one, two = answer(index), answer(MemoryIndex.of([Document.from_html(PAGE, "lamp.html")]))
    assert one.text == two.text
    assert one.citations == two.citations
    assert one.steps == two.steps


def test_max_sentences(index):
    result = answer(index, max_sentences=2)
    assert result.stop_reason == "max_sentences"
    assert len(result.citations) == 2


def test_max_cost_stops_with_the_answer_so_far(index):
    result = answer(index, max_cost=1)
    assert result.stop_reason == "budget"
    assert result.citations


def test_max_seconds_stops_with_the_answer_so_far(index):
    ticks = iter(range(10_000))
    events = stream(
        QUESTION, index, Options(max_seconds=0.5), HashEncoder(), clock=lambda: float(next(ticks))
    )
    result = next(e for e in events if isinstance(e, Done)).answer
    assert result.stop_reason == "max_seconds"
    assert result.citations


def test_off_topic_abstains_and_shows_the_closest_passages(index):
    result = answer(index, "Who won the chess olympiad in Reykjavik?")
    assert result.abstained
    assert result.stop_reason == "no_evidence"
    assert result.text == ""
    assert result.citations == ()
    assert "do not say" in str(result)


def test_without_an_encoder_bm25_answers(index):
    for event in stream(QUESTION, index):
        if isinstance(event, Done):
            assert "11 hours" in event.answer.text
            assert event.answer.models["encoder"] == "none (BM25 only)"


def test_navigation_is_not_an_answer(index):
    result = answer(index)
    assert all(index.blocks(0)[c.block_id].kind != "links" for c in result.citations)


def test_hidden_text_is_neither_said_nor_in_evidence():
    page = PAGE.replace(
        '<h2 id="repair">',
        '<p style="display:none">The battery of the lamp lasts 99 hours.</p><h2 id="repair">',
    )
    result = answer(MemoryIndex.of([Document.from_html(page, "lamp.html")]))
    assert "99" not in result.text
    assert all("99 hours" not in e.html for s in result.steps for e in s.evidence)


def test_a_repeated_sentence_is_said_once():
    page = PAGE.replace(
        "</body>",
        f"<h2>Again</h2><p>{SAID}</p></body>",
    )
    result = answer(MemoryIndex.of([Document.from_html(page, "lamp.html")]))
    assert result.text.count("lasts for 11 hours") == 1


def test_a_bad_page_is_a_warning_not_the_end():
    index = MemoryIndex.of([Document.from_html(PAGE, "lamp.html"), Document.from_bytes(b"%PDF-1.4", "x.pdf")])
    events = list(stream(QUESTION, index, encoder=HashEncoder()))
    assert any(isinstance(e, Warned) and "x.pdf" in e.message for e in events)
    assert not events[-1].answer.abstained


@pytest.mark.parametrize("question", ["", "   ", "?!"])
def test_empty_question(index, question):
    with pytest.raises(EmptyQuestion):
        stream(question, index)


def test_budget_zero(index):
    with pytest.raises(BadBudget):
        stream(QUESTION, index, Options(budget=0))


def test_ask_a_folder_of_real_pages(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path))
    result = ask("How do I read rows of a CSV file as dictionaries?", SITE / "library")
    assert any("csv.html" in c.url for c in result.citations)
    assert str(result).count("[1]") >= 2
    data = result.to_dict()
    assert set(data) >= {
        "schema",
        "question",
        "text",
        "abstained",
        "stop_reason",
        "citations",
        "steps",
        "usage",
    }
    assert set(data["citations"][0]) >= {
        "marker",
        "start",
        "end",
        "quote",
        "prefix",
        "suffix",
        "link",
        "anchor",
    }


def test_a_budget_with_no_room_for_a_sentence_is_refused_not_an_empty_answer(index):
    for budget in (1, 2, 7, 20):
        with pytest.raises(BadBudget, match=f"{budget} tokens"):
            list(stream(QUESTION, index, Options(budget=budget), HashEncoder()))


def test_the_anchor_is_the_one_nearest_to_the_sentence():
    plan = '<p id="pro">The Pro plan costs 12 euros.</p>'
    page = f'<h1 id="top">Prices</h1><div><p>All plans are paid by month.</p>{plan}</div>'
    result = answer(MemoryIndex.of([Document.from_html(page, "p.html")]), "What does the Pro plan cost?")
    (citation,) = [c for c in result.citations if "Pro plan" in c.quote]
    assert citation.anchor == "pro"

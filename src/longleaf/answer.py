"""The loop: plan, retrieve, prune, generate, cite, one passage a turn, as one stream of events.

This is IPRG (section 2) in extractive form. ``stream`` is the only implementation: ``ask``
drains it, and what was streamed is what the final answer holds. It always ends with ``Done``
and a named reason, and a limit returns the answer so far, whole sentences only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longleaf.abstain import Confidence, confidence
from longleaf.cite import bind
from longleaf.errors import BadBudget
from longleaf.evidence import Candidate, Gatherer
from longleaf.generate import Choice, Extractor
from longleaf.index.memory import MemoryIndex
from longleaf.language import terms
from longleaf.models.base import Encoder
from longleaf.passages import Piece, pieces
from longleaf.plan import Planner
from longleaf.prune import check_question
from longleaf.prune.budget import check_budget
from longleaf.retrieve import Found, Retriever, hits_of
from longleaf.serialise.html import to_html
from longleaf.tokens import TokenCounter, default_counter
from longleaf.types import (
    Answer,
    Citation,
    Cited,
    Done,
    Event,
    Evidence,
    EvidenceReady,
    Excerpt,
    Plan,
    Planned,
    Retrieved,
    Step,
    StepDone,
    StopReason,
    TextDelta,
    Warned,
)

# Tokens of evidence a turn: the paper's final window (HtmlRAG section 4.4).
DEFAULT_BUDGET = 4096
# A long answer; the FAQ answers we measure on have 6 sentences in the median, 30 at most.
MAX_SENTENCES = 24
# Turns in a row that may bring nothing new before the loop gives up.
MAX_IDLE = 2
CLOSEST = 3


@dataclass(frozen=True, slots=True)
class Options:
    """Limits and parts of one run. ``None`` means no limit.

    ``budget`` counts tokens of evidence a turn, ``max_cost`` tokens of evidence in all.
    ``loop`` off writes everything from the first turn's evidence (the one-shot variant).
    """

    budget: int = DEFAULT_BUDGET
    max_sentences: int = MAX_SENTENCES
    max_seconds: float | None = None
    max_cost: int | None = None
    loop: bool = True
    abstain: bool = True


@dataclass(slots=True)
class _Run:
    """The state of one answer while it is written."""

    question: str
    index: MemoryIndex
    options: Options
    encoder: Encoder | None
    counter: TokenCounter
    clock: Callable[[], float]
    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    markers: dict[int, int] = field(default_factory=dict)
    tokens: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def timed(self, stage: str, since: float) -> None:
        self.timings[stage] = self.timings.get(stage, 0.0) + self.clock() - since


def stream(
    question: str,
    index: MemoryIndex,
    options: Options | None = None,
    encoder: Encoder | None = None,
    counter: TokenCounter | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Event]:
    """Yield the events of answering ``question`` from ``index``; the last one is ``Done``.

    Raises ``EmptyQuestion`` or ``BadBudget`` before the first event; ``BadBudget`` also at the end,
    when the budget leaves no room for one sentence of the answer.
    """
    question = check_question(question)
    options = options or Options()
    check_budget(options.budget)
    return _events(_Run(question, index, options, encoder, counter or default_counter(), clock))


def _events(run: _Run) -> Iterator[Event]:
    began = run.clock()
    retriever = Retriever(run.index, run.question, run.encoder)
    planner = Planner(run.question, run.index.bm25.weight)
    gatherer = Gatherer(run.index, retriever, run.counter)
    extractor = Extractor({t: run.index.bm25.weight(t) for t in set(terms(run.question))})
    for url, error in run.index.skipped:
        run.warnings.append(f"skipped {url}: {error}")
        yield Warned(run.warnings[-1])
    plan = planner.first()
    yield Planned(1, plan)
    found = _search(run, retriever, planner, plan)
    yield Retrieved(1, hits_of(run.index, found))
    trust = confidence(run.index, run.question, found)
    if not found or (run.options.abstain and not trust.enough):
        yield Done(_abstained(run, found, trust, began))
        return
    stop = yield from _write(run, retriever, planner, gatherer, extractor, plan, found, began)
    if not run.citations:
        yield Done(_nothing_said(run, found, trust, began))
        return
    run.timings["total"] = run.clock() - began
    yield Done(_answer(run, stop, retriever, trust))


def _nothing_said(run: _Run, found: Sequence[Found], trust: Confidence, began: float) -> Answer:
    """Abstain where the evidence holds no sentence; refuse where it was the budget that left none.

    An empty text must never look like an answer.
    """
    if run.options.budget < DEFAULT_BUDGET:
        raise BadBudget(
            f"no sentence of the answer fits in {run.options.budget} tokens of evidence",
            "raise the budget",
        )
    return _abstained(run, found, trust, began)


def _write(
    run: _Run,
    retriever: Retriever,
    planner: Planner,
    gatherer: Gatherer,
    extractor: Extractor,
    plan: Plan,
    found: list[Found],
    began: float,
) -> Generator[Event, None, StopReason]:
    """Run the turns; returns the reason to stop."""
    known: dict[int, Found] = {}
    covered: set[str] = set()
    n, idle = 1, 0
    while True:
        known.update((f.row, f) for f in found)
        ranked = sorted(known.values(), key=lambda f: (-f.score, f.row))
        since = run.clock()
        evidence, candidates = gatherer.gather(_with_current_page(ranked, extractor.last), run.options.budget)
        run.timed("prune", since)
        run.tokens += sum(e.tokens_after for e in evidence)
        yield EvidenceReady(n, evidence)
        choice = extractor.choose(candidates)
        step_text = yield from _say(run, extractor, choice, candidates)
        if step_text:
            idle = 0
            yield from _step(run, n, plan, found, evidence, step_text)
        else:
            idle += 1
        stop = _limit(run, began) or _ended(choice, idle, run)
        if stop:
            return stop
        covered |= extractor.said_terms | {t for w in plan.keywords for t in terms(w)}
        n += 1
        plan = planner.next(frozenset(covered), ranked)
        if plan.stop and choice.candidate is None:
            return plan.stop
        yield Planned(n, plan)
        if plan.keywords and run.options.loop:
            found = _search(run, retriever, planner, plan)
        yield Retrieved(n, hits_of(run.index, found))


def _search(run: _Run, retriever: Retriever, planner: Planner, plan: Plan) -> list[Found]:
    since = run.clock()
    found = retriever.search(planner.query(plan))
    run.timed("retrieve", since)
    return found


def _with_current_page(ranked: list[Found], last: Candidate | None) -> list[Found]:
    """Keep the page that the answer is on among the pages that are opened."""
    if last is None:
        return ranked
    return [last.found, *(f for f in ranked if f.row != last.found.row)]


def _ended(choice: Choice, idle: int, run: _Run) -> StopReason | None:
    if choice.stop == "complete":
        return "complete"
    if choice.stop and (idle >= MAX_IDLE or not run.options.loop):
        return choice.stop
    return None


def _limit(run: _Run, began: float) -> StopReason | None:
    options = run.options
    if len(run.citations) >= options.max_sentences:
        return "max_sentences"
    if options.max_seconds is not None and run.clock() - began >= options.max_seconds:
        return "max_seconds"
    if options.max_cost is not None and run.tokens >= options.max_cost:
        return "budget"
    return None


def _say(
    run: _Run, extractor: Extractor, choice: Choice, candidates: Sequence[Candidate]
) -> Generator[Event, None, str]:
    """Write the chosen passage and what it announces; returns the text, empty when nothing was said."""
    before = len(run.text)
    while choice.candidate is not None:
        extractor.accept(choice)
        yield from _write_passage(run, choice.candidate)
        choice = Choice(extractor.follows(candidates), choice.utility)
    return run.text[before:].strip()


def _write_passage(run: _Run, candidate: Candidate) -> Iterator[Event]:
    tree = run.index.tree(candidate.found.page)
    before = len(run.text)
    for piece in pieces(tree, candidate.found.block, candidate.passage):
        if len(run.citations) >= run.options.max_sentences:
            return
        yield from _cite(run, candidate, piece, len(run.text) == before)


def _cite(run: _Run, candidate: Candidate, piece: Piece, opening: bool) -> Iterator[Event]:
    found, kind = candidate.found, candidate.passage.kind
    document = run.index.tree(found.page).page.document
    marker = run.markers.get(found.row, len(run.markers) + 1)
    lead = ("\n\n" if run.text else "") if opening else (" " if kind == "prose" else "\n")
    start = len(run.text) + len(lead)
    end = start + len(piece.markdown)
    citation = bind(marker, start, end, piece.quote, found.block, document, piece.anchor)
    if citation is None:
        return
    if found.row not in run.markers:
        run.markers[found.row] = marker
        run.excerpts.append(_excerpt(run, found, marker))
    run.citations.append(citation)
    tail = f"\n\n[{marker}]" if kind in ("table", "code") else f" [{marker}]"
    delta = lead + piece.markdown + tail
    run.text += delta
    yield TextDelta(delta)
    yield Cited(citation)


def _excerpt(run: _Run, found: Found, marker: int) -> Excerpt:
    tree = run.index.tree(found.page)
    document = tree.page.document
    html = to_html(tree.restrict({found.block.id}))
    return Excerpt(
        marker, document.id, found.block.id, document.url, document.title, found.block.headings, html
    )


def _step(
    run: _Run, n: int, plan: Plan, found: Sequence[Found], evidence: tuple[Evidence, ...], text: str
) -> Iterator[Event]:
    done = sum(len(step.citations) for step in run.steps)
    markers = tuple(c.marker for c in run.citations[done:])
    step = Step(n, plan, hits_of(run.index, found), evidence, text, markers, "new")
    run.steps.append(step)
    yield StepDone(step)


def _answer(run: _Run, stop: StopReason, retriever: Retriever, trust: Confidence) -> Answer:
    return Answer(
        question=run.question,
        text=run.text,
        abstained=False,
        stop_reason=stop,
        citations=tuple(run.citations),
        steps=tuple(run.steps),
        excerpts=tuple(run.excerpts),
        usage=_usage(run, retriever.encoded) | {"confidence": round(trust.score, 4)},
        timings=dict(run.timings),
        models=_models(run),
        warnings=tuple(run.warnings),
        version=_version(),
    )


def _abstained(run: _Run, found: Sequence[Found], trust: Confidence, began: float) -> Answer:
    run.timings["total"] = run.clock() - began
    return Answer(
        question=run.question,
        text="",
        abstained=True,
        stop_reason="no_evidence",
        closest=tuple(_excerpt(run, f, i) for i, f in enumerate(found[:CLOSEST], 1)),
        usage=_usage(run, 0) | {"confidence": round(trust.score, 4)},
        timings=dict(run.timings),
        models=_models(run),
        warnings=tuple(run.warnings),
        version=_version(),
    )


def _usage(run: _Run, encoded: int) -> dict[str, float]:
    return {
        "pages": len(run.index.entries),
        "blocks": len(run.index),
        "evidence_tokens": run.tokens,
        "blocks_scored": encoded,
        "sentences": len(run.citations),
    }


def _models(run: _Run) -> dict[str, str]:
    encoder = "none (BM25 only)" if run.encoder is None else run.encoder.name
    return {"writer": "none (extractive)", "planner": "rules", "encoder": encoder, "tokens": run.counter.name}


def _version() -> str:
    from longleaf import __version__

    return __version__


def ask(
    question: str,
    source: MemoryIndex | str | Path | Sequence[str | Path],
    options: Options | None = None,
    encoder: Encoder | None = None,
    counter: TokenCounter | None = None,
) -> Answer:
    """Answer ``question`` from a file, folder, URL, several of them, or an index.

    Without an ``encoder`` the bundled one is used where it is installed. Never prints.
    """
    if not isinstance(source, MemoryIndex):
        from longleaf.cache import cache_dir

        check_question(question)
        many = [source] if isinstance(source, (str, Path)) else source
        source = MemoryIndex.build(many, cache_dir())
    if encoder is None:
        from longleaf.models.bundled import cached_encoder

        encoder = cached_encoder()
    for event in stream(question, source, options, encoder, counter):
        if isinstance(event, Done):
            return event.answer
    raise AssertionError("the stream ended without an answer")

"""How an answer came about: each turn's plan, pages and tokens, folded away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longleaf.render.page import counted, text
from longleaf.types import Answer, Evidence, Step, StopReason

STOPS: dict[StopReason, str] = {
    "complete": "nothing that was found adds enough to what is said",
    "no_new_evidence": "no new evidence was found",
    "repeats": "what was left only repeats the answer",
    "max_sentences": "the limit of sentences was reached",
    "max_seconds": "the time limit was reached",
    "budget": "the limit of tokens was reached",
    "no_evidence": "no page says enough about the question",
}

_OUTCOMES: dict[str, str] = {"new": "something new was said"} | {
    str(stop): words for stop, words in STOPS.items()
}


def steps_html(answer: Answer) -> str:
    """Return the folded account of all turns, why the run ended, its models, counts and times."""
    names = {excerpt.document_id: excerpt.title or excerpt.url for excerpt in answer.closest}
    names |= {citation.document_id: citation.url for citation in answer.citations if citation.url}
    names |= {excerpt.document_id: excerpt.title or excerpt.url for excerpt in answer.excerpts}
    turns = "\n".join(f"<li>{_turn(step, names)}</li>" for step in answer.steps)
    listed = f'<ol class="turns">\n{turns}\n</ol>\n' if turns else ""
    seconds = {name: f"{value:.2f} s" for name, value in answer.timings.items()}
    counts = {name: f"{value:,g}" for name, value in answer.usage.items()}
    rows = [
        ("stopped because", text(STOPS[answer.stop_reason])),
        ("models", _pairs(answer.models)),
        ("counts", _pairs(counts)),
        ("times", _pairs(seconds)),
    ]
    return (
        '<details class="steps">\n<summary>How this answer was made</summary>\n'
        f"{listed}<h3>The whole run</h3>\n{_table(rows)}\n</details>"
    )


def _turn(step: Step, names: Mapping[str, str]) -> str:
    words = "".join(f'<span class="word" dir="auto">{text(word)}</span>' for word in step.plan.keywords)
    found = list(dict.fromkeys(hit.document_id for hit in step.hits))
    shown = ", ".join(text(names.get(document, document)) for document in found)
    pages = "".join(f"<li>{_page(evidence, names)}</li>" for evidence in step.evidence)
    rows = [
        ("looked for", words or text(step.plan.query)),
        (
            "found",
            f"{counted(len(step.hits), 'block')} on {counted(len(found), 'page')}: {shown}" if found else "",
        ),
        ("read", f"<ul>{pages}</ul>" if pages else ""),
        ("wrote", _wrote(step)),
        ("outcome", text(_OUTCOMES.get(step.reason, step.reason.replace("_", " ")))),
    ]
    return f"<h3>Turn {step.n}</h3>\n{_table(rows)}"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value) + "</dl>"


def _pairs(values: Mapping[str, str]) -> str:
    each = (f"{text(name.replace('_', ' '))} {text(value)}" for name, value in values.items())
    return ", ".join(each)


def _page(evidence: Evidence, names: Mapping[str, str]) -> str:
    name = text(names.get(evidence.document_id, evidence.document_id))
    figures = f"{evidence.tokens_before:,} → {evidence.tokens_after:,} tokens"
    return f'{name} <span class="figures">{figures}, {counted(len(evidence.kept), "block")} kept</span>'


def _wrote(step: Step) -> str:
    if not step.citations:
        return ""
    markers = ", ".join(f"[{marker}]" for marker in dict.fromkeys(step.citations))
    return f"{counted(len(step.citations), 'sentence')}, from {markers}"

"""How an answer came about: each turn's plan, pages and tokens, folded away."""

from __future__ import annotations

from longleaf.render.page import text
from longleaf.types import Answer, Evidence, Step


def steps_html(answer: Answer) -> str:
    """Return the folded account of all turns, with times and limits."""
    names = {excerpt.document_id: excerpt.title or excerpt.url for excerpt in answer.excerpts}
    turns = "\n".join(_turn(step, names) for step in answer.steps)
    figures = [f"{name.replace('_', ' ')} {value:g}" for name, value in answer.usage.items()]
    figures += [f"{name} {seconds:.2f} s" for name, seconds in answer.timings.items()]
    total = f"<p>{text(', '.join(figures))}</p>"
    return (
        f'<details class="steps">\n<summary>How this answer was made</summary>\n{turns}\n{total}\n</details>'
    )


def _turn(step: Step, names: dict[str, str]) -> str:
    words = "".join(f'<span class="word">{text(word)}</span>' for word in step.plan.keywords)
    pages = "".join(f"<li>{_page(evidence, names)}</li>" for evidence in step.evidence)
    rows = [("looked for", words), ("read", f"<ul>{pages}</ul>"), ("wrote", text(_wrote(step)))]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<h3>Turn {step.n}</h3>\n<dl>{listed}</dl>"


def _page(evidence: Evidence, names: dict[str, str]) -> str:
    name = names.get(evidence.document_id, evidence.document_id)
    figures = f"{evidence.tokens_before} to {evidence.tokens_after} tokens"
    return f'{text(name)} <span class="figures">{figures}</span>'


def _wrote(step: Step) -> str:
    markers = ", ".join(str(marker) for marker in dict.fromkeys(step.citations))
    return f"{len(step.text.split())} words, from source {markers}"

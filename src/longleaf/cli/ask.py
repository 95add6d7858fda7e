"""``longleaf ask``: a question and pages in, a long cited answer out."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import click

from longleaf.cli.common import AS_JSON, OFFLINE, PRUNERS, QUIET, Progress, note, print_json, write_file
from longleaf.types import SCHEMA, Answer, Done, Event, Planned, TextDelta, Warned, to_json

ABSTAINED = 3


@click.command("ask")
@click.argument("question")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "-m", "--model", default="none", show_default=True, help="What writes the answer; none quotes the pages."
)
@click.option("--budget", type=int, default=4096, show_default=True, help="Tokens of evidence a turn.")
@click.option(
    "--max-sentences", type=click.IntRange(1), default=24, show_default=True, help="Sentences at most."
)
@click.option(
    "--max-seconds", type=click.FloatRange(0, min_open=True), help="Stop with the answer so far after this."
)
@click.option("--max-cost", type=click.IntRange(1), help="Tokens of evidence in all, at most.")
@click.option("--pruner", type=PRUNERS, default="auto", show_default=True, help="What ranks the blocks.")
@AS_JSON
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print every event as a line of JSON.")
@click.option(
    "--html", "html", type=click.Path(dir_okay=False, path_type=Path), help="Write one HTML file as well."
)
@click.option("--no-stream", is_flag=True, help="Print the answer when it is complete.")
@click.option("-u", "--usage", is_flag=True, help="Print tokens and times to standard error.")
@click.option("-v", "--verbose", is_flag=True, help="Print each turn's plan to standard error.")
@OFFLINE
@QUIET
def command(
    question: str,
    sources: tuple[str, ...],
    model: str,
    budget: int,
    max_sentences: int,
    max_seconds: float | None,
    max_cost: int | None,
    pruner: str,
    as_json: bool,
    as_jsonl: bool,
    html: Path | None,
    no_stream: bool,
    usage: bool,
    verbose: bool,
    offline: bool,
    quiet: bool,
) -> int:
    """Answer QUESTION from SOURCE: files, folders, URLs, or - for standard input."""
    from longleaf.answer import Options

    if as_json and as_jsonl:
        raise click.UsageError("--json and --jsonl cannot go together")
    if max_seconds is not None and math.isnan(max_seconds):
        raise click.UsageError("--max-seconds is not a number")
    _check_model(model)
    options = Options(budget, max_sentences, max_seconds, max_cost)
    events = _events(question, sources, options, pruner, offline, quiet)
    shown = _Printer(as_json, as_jsonl, no_stream, verbose and not quiet, quiet)
    answer = shown.drain(events)
    if html is not None:
        write_file(html, answer.to_html())
    if usage:
        click.echo(_usage(answer), err=True)
    return ABSTAINED if answer.abstained else 0


def _check_model(model: str) -> None:
    if model != "none":
        from longleaf.errors import ModelError

        raise ModelError(
            f"model {model!r} cannot be used: this version writes answers by quoting the pages",
            "leave out -m, or pass -m none",
        )


def _events(
    question: str, sources: tuple[str, ...], options: object, pruner: str, offline: bool, quiet: bool
) -> Iterator[Event]:
    from longleaf.answer import Options, stream
    from longleaf.cache import cache_dir
    from longleaf.index.memory import MemoryIndex
    from longleaf.models.bundled import bundled_encoder, cached_encoder
    from longleaf.prune import check_question
    from longleaf.prune.budget import check_budget
    from longleaf.tokens import default_counter

    assert isinstance(options, Options)
    check_question(question)
    check_budget(options.budget)
    if pruner == "embed":
        bundled_encoder()  # raises when it is not installed
    progress = Progress(quiet)
    index = MemoryIndex.build(sources, cache_dir(), progress, offline)
    progress.end()
    # The vocabulary takes 0.3 s to load: let that happen while the first blocks are encoded.
    threading.Thread(target=default_counter().count, args=("",), daemon=True).start()
    encoder = None if pruner == "lexical" else cached_encoder()
    return stream(question, index, options, encoder)


class _Printer:
    """Writes events as they come, in the form that was asked for."""

    def __init__(self, as_json: bool, as_jsonl: bool, no_stream: bool, verbose: bool, quiet: bool) -> None:
        self.as_json, self.as_jsonl = as_json, as_jsonl
        self.streams = not (no_stream or as_json or as_jsonl)
        self.verbose = verbose
        self.tell = note(quiet)

    def drain(self, events: Iterator[Event]) -> Answer:
        """Print all events; return the answer of the last one."""
        for event in events:
            self._show(event)
            if isinstance(event, Done):
                return event.answer
        raise AssertionError("the stream ended without an answer")

    def _show(self, event: Event) -> None:
        if isinstance(event, Warned):
            self.tell(f"longleaf: {event.message}")
        elif isinstance(event, Planned) and self.verbose:
            self.tell(f"turn {event.n}: {', '.join(event.plan.keywords)}")
        if self.as_jsonl:
            print_json({"schema": SCHEMA, "event": type(event).__name__} | to_json(event))
        elif isinstance(event, TextDelta) and self.streams:
            click.echo(event.text, nl=False)
        elif isinstance(event, Done):
            self._finish(event.answer)

    def _finish(self, answer: Answer) -> None:
        if self.as_json:
            print_json(answer.to_dict())
            return
        from longleaf.render.text import answer_text

        whole = answer_text(answer)
        click.echo(whole.removeprefix(answer.text) if self.streams else whole)


def _usage(answer: Answer) -> str:
    parts = [f"{name} {value:g}" for name, value in answer.usage.items()]
    parts += [f"{name} {seconds:.2f} s" for name, seconds in answer.timings.items()]
    return f"{answer.stop_reason}: " + ", ".join(parts)

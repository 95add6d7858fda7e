"""What several commands share: options, reading one page, progress on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from longleaf.errors import CacheError, UsageError
from longleaf.types import Document

PAGE = click.argument("page", metavar="[FILE]", default="-")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
OFFLINE = click.option("--offline", is_flag=True, help="Refuse every network call.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Print nothing to standard error.")
# What ``ask`` retrieves with; ``prune`` and ``tree`` rank by anything that ``prune.names`` knows.
PRUNERS = click.Choice(["auto", "lexical", "embed"])
RANKER = click.option(
    "--pruner",
    metavar="NAME",
    help="What ranks the blocks: auto, lexical, embed[:MODEL], two-stage[:MODEL], generative[:MODEL], "
    "likelihood[:MODEL], yes-no[:MODEL], cross-encoder:MODEL or labeller:MODEL.",
)


def read_page(page: str, offline: bool) -> Document:
    """Return the one page that a command works on: a file, a URL, or ``-``."""
    from longleaf.sources import one_document

    return one_document(page, offline)


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def write_file(path: Path, text: str) -> None:
    """Write a result to a file as a whole, or leave what is there; raises ``UsageError``."""
    from longleaf.cache import write_atomic

    try:
        write_atomic(path, text.encode("utf-8", "replace"))
    except CacheError as error:
        raise UsageError(error.message, "name a file in a folder that can be written") from error


class Progress:
    """Reading many pages, told on standard error: a moving line on a terminal, else every few seconds."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.moving = sys.stderr.isatty()
        self.began = self.told = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Tell that ``done`` of ``total`` bytes are read."""
        now = time.monotonic()
        # Short work needs no progress; a log file needs a line now and then only.
        if self.quiet or now - self.began < 0.5 or (done < total and now - self.told < self.pause):
            return
        self.told, self.shown = now, True
        left = (now - self.began) * (total - done) / max(1, done)
        line = f"reading pages: {100 * done // max(1, total)} % of {total / 1e6:.1f} MB, {left:.0f} s left"
        click.echo(f"\r{line}\x1b[K" if self.moving else line, nl=not self.moving, err=True)

    @property
    def pause(self) -> float:
        """Return the seconds between two messages."""
        return 0.1 if self.moving else 2.0

    def end(self) -> None:
        """Close the moving line."""
        if self.moving and self.shown:
            click.echo("", err=True)


def note(quiet: bool) -> Callable[[str], None]:
    """Return a function that tells a line on standard error, or nothing when quiet."""
    return (lambda _: None) if quiet else (lambda line: click.echo(line, err=True))

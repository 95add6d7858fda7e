"""``longleaf tree``: a page's block tree, drawn; with a question, coloured by score."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from longleaf.cli.common import OFFLINE, PAGE, PRUNERS, read_page, write_file


@click.command("tree")
@PAGE
@click.option("-q", "--question", help="Score the blocks for this question.")
@click.option("--budget", type=int, help="Dim what a budget of this many tokens would cut.")
@click.option("--pruner", type=PRUNERS, default="auto", show_default=True, help="What ranks the blocks.")
@click.option(
    "--html", "html", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML file instead."
)
@OFFLINE
def command(
    page: str, question: str | None, budget: int | None, pruner: str, html: Path | None, offline: bool
) -> int:
    """Draw the block tree of FILE (a file, a URL, or - for standard input)."""
    from longleaf.blocks import block_tree
    from longleaf.clean import clean
    from longleaf.render.tree import tree_html, tree_text

    tree = block_tree(clean(read_page(page, offline)))
    scores: list[float] | None = None
    kept: set[int] | None = None
    part = -1
    if question is not None:
        from longleaf.models.bundled import cached_encoder
        from longleaf.prune import check_question, make_pruner, prune_trees

        chosen = make_pruner(pruner, cached_encoder() if pruner != "lexical" else None)
        question = check_question(question)
        if budget is None:
            scores = chosen.score([tree], question)
        else:
            pruned = prune_trees([tree], question, budget, chosen)
            scores = list(pruned.scores)
            part = pruned.kept.partial
            kept = set(pruned.kept.whole) | ({part} - {-1})
            for line in pruned.notes:
                click.echo(f"longleaf: {line}", err=True)
    if html is not None:
        write_file(html, tree_html(tree, scores, kept, part))
        return 0
    click.echo(tree_text(tree, scores, kept, _colour(), part))
    return 0


def _colour() -> bool:
    """Return whether standard output is a terminal that shows colours, and nobody minds."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain

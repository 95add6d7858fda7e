"""``longleaf prune``: the same pages, smaller, within a token budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from longleaf.cli.common import AS_JSON, OFFLINE, RANKER, print_json, write_file

if TYPE_CHECKING:
    from longleaf.errors import LongleafError
    from longleaf.prune import Pruned
    from longleaf.prune.ranking import PoolName
    from longleaf.types import Document


@click.command("prune")
@click.argument("pages", metavar="[FILE...]", nargs=-1)
@click.option("-q", "--question", required=True, help="What the page is read for.")
@click.option("--budget", type=int, help="Tokens that the output may have; needed without --preset.")
@click.option(
    "--preset",
    type=click.Choice(["paper", "balanced", "fast"]),
    help="Pruner and budget by name; what is given beside it counts.",
)
@RANKER
@click.option("--fill", is_flag=True, help="Use what is left of the budget for smaller blocks further down.")
@click.option("--floor", type=float, help="Cut blocks that score less than this, even where there is room.")
@click.option(
    "--pool",
    type=click.Choice(["all", "page"]),
    default="all",
    show_default=True,
    help="Several pages: rank all blocks together, or each page by itself with an even part of the budget.",
)
@click.option("--links", is_flag=True, help="Keep link targets and ids; else they go before any text does.")
@click.option(
    "--tokenizer",
    default="o200k_base",
    show_default=True,
    metavar="NAME|FILE",
    help="What counts tokens: o200k_base, cl100k_base, words, or a model's tokenizer.json.",
)
@click.option(
    "--format", "form", type=click.Choice(["html", "markdown", "text"]), default="html", show_default=True
)
@click.option("--explain", is_flag=True, help="Print why each block was kept or cut to standard error.")
@click.option(
    "--view",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write an HTML file as well that shows the pages with what was cut faded.",
)
@AS_JSON
@OFFLINE
def command(
    pages: tuple[str, ...],
    question: str,
    budget: int | None,
    preset: str | None,
    pruner: str | None,
    fill: bool,
    floor: float | None,
    pool: PoolName,
    links: bool,
    tokenizer: str,
    form: str,
    explain: bool,
    view: Path | None,
    as_json: bool,
    offline: bool,
) -> int:
    """Cut pages (files, folders, URLs, or standard input) to --budget tokens of HTML."""
    from longleaf.errors import DocumentError
    from longleaf.models.bundled import cached_encoder
    from longleaf.prune import check_question, left_out, prune_trees, pruner_of, trees_of
    from longleaf.prune.budget import check_budget
    from longleaf.prune.presets import preset_called
    from longleaf.tokens import counter_called

    if budget is None and preset is None:
        raise click.UsageError("Missing option '--budget' (or '--preset').")
    setting = preset_called(preset)
    question = check_question(question)
    tokens = check_budget(setting.budget if budget is None else budget)
    counter = counter_called(tokenizer)
    chosen = pruner_of(
        preset, pruner, cached_encoder() if (pruner or setting.pruner) != "lexical" else None, offline
    )
    documents, failed = _read(pages or ("-",), offline)
    try:
        trees, told = trees_of(documents, counter, setting.words)
    except DocumentError as error:
        raise [*failed, error][0] from None
    told = [*map(left_out, failed), *told]
    pruned = prune_trees(
        trees, question, tokens, chosen, counter, fill=fill, floor=floor, pool=pool, links=links, told=told
    )
    _tell(pruned, explain)
    if view is not None:
        from longleaf.render.pruned import pruned_html

        write_file(view, pruned_html(pruned))
    if as_json:
        print_json(pruned.to_dict())
    else:
        click.echo(getattr(pruned, form))
    return 0


def _read(sources: tuple[str, ...], offline: bool) -> tuple[list[Document], list[LongleafError]]:
    """Return the documents of all sources, and why the others cannot be read.

    Raises the first reason when nothing can be read at all.
    """
    from longleaf.errors import DocumentError, MissingExtra, SourceError
    from longleaf.sources import Origin, listing

    origins: dict[str, Origin] = {}
    failed: list[LongleafError] = []
    for source in sources:
        try:
            origins.update((origin.url, origin) for origin in listing([source], offline))
        except (DocumentError, SourceError) as error:
            failed.append(error)
    documents: list[Document] = []
    for origin in origins.values():
        try:
            documents.append(origin.load())
        except (DocumentError, MissingExtra) as error:
            failed.append(error)
    if not documents:
        raise failed[0]
    return documents, failed


def _tell(pruned: Pruned, explain: bool) -> None:
    for line in pruned.notes:
        click.echo(f"longleaf: {line}", err=True)
    if not explain:
        return
    stopped = {"budget": "the budget", "floor": "the floor", "end": "the end: all is kept"}[pruned.stopped_by]
    tokens = f"{pruned.tokens_before} -> {pruned.tokens_after} tokens (budget {pruned.budget})"
    click.echo(f"{tokens}, stopped by {stopped}", err=True)
    blocks, reasons = pruned.pool.blocks, pruned.reasons()
    for position in pruned.order:
        block = blocks[position]
        score = f"{pruned.scores[position]:.3f}"
        click.echo(f"{score:>8}  {reasons[position]:34}  {block.kind:10}  {block.path}", err=True)

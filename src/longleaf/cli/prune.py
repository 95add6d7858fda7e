"""``longleaf prune``: the same page, smaller, within a token budget."""

from __future__ import annotations

import click

from longleaf.cli.common import AS_JSON, OFFLINE, PRUNERS, print_json


@click.command("prune")
@click.argument("pages", metavar="[FILE...]", nargs=-1)
@click.option("-q", "--question", required=True, help="What the page is read for.")
@click.option("--budget", type=int, required=True, help="Tokens that the output may have.")
@click.option("--pruner", type=PRUNERS, default="auto", show_default=True, help="What ranks the blocks.")
@click.option(
    "--format", "form", type=click.Choice(["html", "markdown", "text"]), default="html", show_default=True
)
@click.option("--explain", is_flag=True, help="Print why each block was kept or cut to standard error.")
@AS_JSON
@OFFLINE
def command(
    pages: tuple[str, ...],
    question: str,
    budget: int,
    pruner: str,
    form: str,
    explain: bool,
    as_json: bool,
    offline: bool,
) -> int:
    """Cut pages (files, folders, URLs, or standard input) to --budget tokens of HTML."""
    from longleaf.models.bundled import cached_encoder
    from longleaf.prune import check_question, make_pruner, prune
    from longleaf.prune.budget import check_budget
    from longleaf.sources import documents

    check_question(question)
    check_budget(budget)
    encoder = cached_encoder() if pruner != "lexical" else None
    chosen = make_pruner(pruner, encoder)
    pruned = prune(list(documents(pages or ("-",), offline)), question, budget, chosen)
    if explain:
        _explain(pruned)
    if as_json:
        print_json(pruned.to_dict())
    else:
        click.echo({"html": pruned.html, "markdown": pruned.markdown, "text": pruned.text}[form])
    return 0


def _explain(pruned: object) -> None:
    from longleaf.prune import Pruned

    assert isinstance(pruned, Pruned)
    click.echo(f"{pruned.tokens_before} -> {pruned.tokens_after} tokens (budget {pruned.budget})", err=True)
    blocks = pruned.pool.blocks
    for position in pruned.order:
        block = blocks[position]
        score = f"{pruned.scores[position]:.3f}"
        click.echo(f"{score:>8}  {pruned.why(position):34}  {block.kind:10}  {block.path}", err=True)

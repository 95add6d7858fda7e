"""``longleaf blocks``: what a page is cut into."""

from __future__ import annotations

import click

from longleaf.cli.common import AS_JSON, OFFLINE, PAGE, print_json, read_page
from longleaf.types import SCHEMA


@click.command("blocks")
@PAGE
@click.option(
    "--words", type=click.IntRange(1), default=128, show_default=True, help="Words a block, at most."
)
@AS_JSON
@OFFLINE
def command(page: str, words: int, as_json: bool, offline: bool) -> int:
    """List the blocks of FILE (a file, a URL, or - for standard input)."""
    from longleaf.blocks import block_tree
    from longleaf.clean import clean
    from longleaf.cli.clean import removed
    from longleaf.parse import parse
    from longleaf.prune.pruned import block_fields
    from longleaf.source_map import sources
    from longleaf.tokens import default_counter

    raw = parse(read_page(page, offline))
    cleaned = clean(raw)
    tree = block_tree(cleaned, words, default_counter())
    if not as_json:
        for block in tree.blocks:
            start = " ".join(block.text.split())[:60]
            click.echo(f"{block.id:>5}  {block.kind:10}  {block.words:>4} words  {block.path}  {start}")
        return 0
    rows = [
        {"id": b.id}
        | block_fields(b)
        | {"selector": source.selector, "text": b.text, "html": tree.block_html(b)}
        for b, source in zip(tree.blocks, sources(tree, raw.nodes), strict=True)
    ]
    print_json(
        {
            "schema": SCHEMA,
            "document": cleaned.document.to_dict(),
            "words": words,
            "blocks": rows,
            "removed": removed(cleaned),
        }
    )
    return 0

"""``longleaf clean``: a page without what a reader never sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from longleaf.cli.common import AS_JSON, OFFLINE, PAGE, print_json, read_page
from longleaf.types import SCHEMA, Page

if TYPE_CHECKING:
    from longleaf.clean import Profile


@click.command("clean")
@PAGE
@click.option(
    "--profile", type=click.Choice(["default", "paper", "raw"]), default="default", show_default=True
)
@click.option(
    "--format", "form", type=click.Choice(["html", "markdown", "text"]), default="html", show_default=True
)
@click.option("--report", is_flag=True, help="Print what was set aside, and why, to standard error.")
@AS_JSON
@OFFLINE
def command(page: str, profile: str, form: str, report: bool, as_json: bool, offline: bool) -> int:
    """Clean FILE (a file, a URL, or - for standard input)."""
    from longleaf.clean import clean

    cleaned = clean(read_page(page, offline), cast("Profile", profile))
    if report:
        _report(cleaned)
    written = _written(cleaned, form)
    if as_json:
        print_json(
            {
                "schema": SCHEMA,
                "document": cleaned.document.to_dict(),
                form: written,
                "removed": removed(cleaned),
            }
        )
    else:
        click.echo(written)
    return 0


def _written(page: Page, form: str) -> str:
    if form == "markdown":
        from longleaf.serialise.markdown import to_markdown

        return to_markdown(page.nodes)
    if form == "text":
        from longleaf.serialise.text import to_text

        return to_text(page.nodes)
    from longleaf.serialise.html import to_html

    return to_html(page.nodes)


def removed(page: Page) -> list[dict[str, object]]:
    """Return the page's removals as JSON rows."""
    return [{"path": r.path, "reason": r.reason, "chars": r.chars} for r in page.removed]


def _report(page: Page) -> None:
    for removal in page.removed:
        click.echo(f"{removal.chars:>7} characters  {removal.reason:40}  {removal.path}", err=True)
    click.echo(f"{len(page.removed)} things set aside", err=True)

"""The ``longleaf`` command: one file a subcommand, loaded when it is called.

Results go to standard output and nothing else does; progress, plan, warnings and errors go to
standard error. Exit codes: 0 done, 1 error, 2 usage, 3 abstained, 4 model, 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from longleaf.errors import LongleafError, UsageError
from longleaf.types import SCHEMA

# command -> what --help says of it; kept here so that help loads no command.
_COMMANDS = {
    "ask": "Answer a question from HTML pages, every sentence cited.",
    "blocks": "List the blocks that a page is cut into.",
    "clean": "Print a page without scripts, styles and hidden text.",
    "prune": "Cut pages to what a question needs, within a token budget.",
    "tree": "Draw a page's block tree.",
}


class _Commands(click.Group):
    """Finds subcommands by name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"longleaf.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longleaf", prog_name="longleaf")
def group() -> None:
    """Long answers from HTML pages, every sentence tied to the element it rests on."""


def main(args: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = sys.argv[1:] if args is None else args
    as_json = "--json" in given or "--jsonl" in given
    try:
        _prepare_streams()
        code = group.main(given, prog_name="longleaf", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except LongleafError as error:
        return _refuse(error.to_dict(), error.exit_code, as_json)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _usage(error, as_json)
    except (KeyboardInterrupt, click.exceptions.Abort):
        click.echo("longleaf: interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader left (``| head``): not an error of ours.
        _silence_output()
        return 0
    except OSError as error:
        _silence_output()
        reason = error.strerror or str(error)
        return _refuse({"type": "OSError", "message": f"cannot go on: {reason}", "hint": ""}, 1, False)


def _prepare_streams() -> None:
    """Let no character of a page or a file name break the output, whatever the terminal's encoding."""
    if sys.stdout is None:
        raise UsageError("standard output is closed", "redirect it to a file instead")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _silence_output() -> None:
    # Python writes what is left in the buffer at exit, and would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(error: dict[str, str], code: int, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "error": error}, ensure_ascii=False))
    line = f"longleaf: {error['message']}" + (f" ({error['hint']})" if error["hint"] else "")
    click.echo(" ".join(line.split()), err=True)
    return code


def _usage(error: click.ClickException, as_json: bool) -> int:
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"see '{error.ctx.command_path} --help'"
    return _refuse(
        {"type": type(error).__name__, "message": error.format_message(), "hint": hint}, 2, as_json
    )

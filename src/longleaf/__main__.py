"""Run the command line: ``longleaf`` and ``python -m longleaf``."""

from __future__ import annotations

import signal
import sys


def run() -> int:
    """Run the command line; an interrupt while it loads or ends is as quiet as one in between."""
    signal.signal(signal.SIGINT, _hear_once)
    try:
        from longleaf.cli import main

        return main()
    except KeyboardInterrupt:
        return 130
    finally:
        # At exit Python gives a handler of ours back to the system, which would kill the process
        # at the next interrupt and lose the exit code. One that is ignored stays ignored.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # CPython remembers an interrupt that passed through the running of a text (dataclasses
        # do that at import), caught or not, and kills itself with it at exit instead of giving
        # our exit code (pythonrun.c, unhandled_keyboard_interrupt). Running a text forgets it.
        exec("")


def _hear_once(_signal: int, _frame: object) -> None:
    """Interrupt what runs, and let no second Ctrl-C break off its end: people press twice."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(run())

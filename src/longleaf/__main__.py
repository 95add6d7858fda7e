"""Run the command line: ``longleaf`` and ``python -m longleaf``."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; an interrupt while it still loads ends it as quietly as later."""
    try:
        from longleaf.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run())

"""Run the command line as ``python -m longleaf``."""

from __future__ import annotations

import sys

from longleaf.cli import main

if __name__ == "__main__":
    sys.exit(main())

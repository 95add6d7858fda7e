"""Other tools that benchmarks compare with, loaded where they are installed."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

# What htmlrag's html_utils imports for parts that are not measured here.
_UNUSED = (
    "anytree",
    "anytree.exporter",
    "langchain_community",
    "langchain_community.embeddings",
    "langchain_core",
    "langchain_core.documents",
    "langchain_text_splitters",
)


class Stub(ModuleType):
    """A module whose every name is an empty class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@cache
def load_htmlrag(path: Path) -> Any:
    """Load htmlrag's ``html_utils.py`` alone, without the models its package imports."""
    for name in _UNUSED:
        sys.modules.setdefault(name, Stub(name))
    spec = importlib.util.spec_from_file_location("htmlrag_html_utils", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def htmlrag_blocks(module: Any, html: str, words: int) -> Counter[str]:
    """Count the words of a page by how many of htmlrag's blocks hold them."""
    trees, _ = module.build_block_tree(html, words)
    cover: Counter[int] = Counter()
    root = None
    for tag, _, leaf in trees:
        strings = tag.strings if leaf else (child for child in tag.contents if isinstance(child, str))
        cover.update(id(text) for text in strings)
        root = tag if root is None else root
    while root is not None and root.parent is not None:
        root = root.parent
    out: Counter[str] = Counter()
    for text in root.strings if root is not None else ():
        times = cover[id(text)]
        out["words in all (its own count)"] += len(text.split())
        out["words in no block"] += len(text.split()) * (times == 0)
        out["words in two blocks"] += len(text.split()) * (times > 1)
    return out

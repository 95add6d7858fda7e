"""Longleaf: long answers from the leaves of HTML trees.

Every public name is resolved on first use, so that ``import longleaf`` loads neither the
parser nor the models. Some functions share their name with the module that holds them
(``longleaf.prune`` is the function); the module is reached with ``from longleaf.prune import ...``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longleaf.answer import ask, stream
    from longleaf.blocks import BlockTree, block_tree
    from longleaf.clean import clean
    from longleaf.errors import LongleafError
    from longleaf.index.memory import MemoryIndex
    from longleaf.parse import parse
    from longleaf.prune import Pruned, prune
    from longleaf.sources import documents
    from longleaf.types import (
        Answer,
        Block,
        Citation,
        Cited,
        Document,
        Done,
        Event,
        Evidence,
        EvidenceReady,
        Hit,
        Page,
        Plan,
        Planned,
        Removal,
        Retrieved,
        Step,
        StepDone,
        TextDelta,
        Warned,
    )

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Block",
    "BlockTree",
    "Citation",
    "Cited",
    "Document",
    "Done",
    "Event",
    "Evidence",
    "EvidenceReady",
    "Hit",
    "LongleafError",
    "MemoryIndex",
    "Page",
    "Plan",
    "Planned",
    "Pruned",
    "Removal",
    "Retrieved",
    "Step",
    "StepDone",
    "TextDelta",
    "Warned",
    "__version__",
    "ask",
    "block_tree",
    "clean",
    "documents",
    "parse",
    "prune",
    "stream",
]

# Where each public name lives; what is not listed here lives in ``types``.
_HOMES = {
    "BlockTree": "blocks",
    "LongleafError": "errors",
    "MemoryIndex": "index.memory",
    "Pruned": "prune",
    "ask": "answer",
    "block_tree": "blocks",
    "clean": "clean",
    "documents": "sources",
    "parse": "parse",
    "prune": "prune",
    "stream": "answer",
}


class _Package(ModuleType):
    """This package, keeping ``longleaf.prune`` the function once a module of that name is loaded.

    The import system binds every submodule on its parent. For a public name that would put
    the module where the function belongs, and which of the two a caller got would depend on
    what was imported before.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


if not TYPE_CHECKING:  # a type checker sees the imports above, and reports any other name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'types')}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

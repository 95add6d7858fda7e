"""Named settings of pruning: what ranks, how fine, and how many tokens where nobody says.

``paper`` is HtmlRAG's section 4.4 (blocks of 256 words by embedding to 8K tokens, then of 128
words by generation to 4K); ``balanced`` is the best ranking without a language model (pruning
probe, section 2); ``fast`` needs no model at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from longleaf.blocks import DEFAULT_WORDS
from longleaf.errors import UsageError

DEFAULT_BUDGET = 4096


@dataclass(frozen=True, slots=True)
class Preset:
    """The pruner's name, the words a block may have, and the tokens to keep."""

    pruner: str
    words: int = DEFAULT_WORDS
    budget: int = DEFAULT_BUDGET


PRESETS = {
    "paper": Preset("two-stage"),
    "balanced": Preset("auto"),
    "fast": Preset("lexical"),
}


def preset_called(name: str | None) -> Preset:
    """Return the preset of a name (None: what is done without one), or raise ``UsageError``."""
    if name is None:
        return Preset("auto")
    if name not in PRESETS:
        raise UsageError(f"there is no preset called {name!r}", f"choose {', '.join(PRESETS)}")
    return PRESETS[name]

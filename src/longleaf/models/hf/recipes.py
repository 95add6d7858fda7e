"""How a model for text vectors wants to be used: its pooling, and what stands before a text.

What the model's folder says (the files of sentence-transformers) comes first; without them the model
cards of the families below. A model that neither knows is pooled by the mean, as sentence-transformers
does, and reads texts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from longleaf.errors import ModelError
from longleaf.models.hf.folders import ModelFolder

Pooling = Literal["cls", "mean", "max", "lasttoken"]
# The task in the model cards of E5-mistral and multilingual-e5-large-instruct.
_SEARCH = "Given a web search query, retrieve relevant passages that answer the query"
_INSTRUCT = f"Instruct: {_SEARCH}\nQuery: "
# Names of the prompt for a question and for a text in config_sentence_transformers.json, best first:
# e5-mistral-7b-instruct has web_search_query beside prompts for other tasks.
_QUERY_PROMPTS = ("query", "web_search_query", "s2p_query")
_TEXT_PROMPTS = ("document", "passage", "corpus")
# sentence-transformers' name of a pooling -> ours. The sum over the root of the length points where the
# mean points, and vectors have length 1.
_POOLINGS: dict[str, Pooling] = {
    "cls": "cls",
    "cls_token": "cls",
    "mean": "mean",
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",
    "max": "max",
    "max_tokens": "max",
    "lasttoken": "lasttoken",
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Pooling, what stands before a question and before a text, and whether texts are lower-cased.

    ``closed`` says that a text ends with the end-of-sequence token, which the vector is read from.
    """

    pooling: Pooling = "mean"
    query: str = ""
    passage: str = ""
    lower: bool = False
    closed: bool = False


# By model card; the first pattern that the model's name matches counts.
_FAMILIES: tuple[tuple[str, Recipe], ...] = (
    (r"e5-mistral", Recipe("lasttoken", _INSTRUCT, closed=True)),
    (r"e5.*instruct", Recipe("mean", _INSTRUCT)),
    (r"\be5-(small|base|large)", Recipe("mean", "query: ", "passage: ")),
    (r"bge-.*-zh", Recipe("cls", "为这个句子生成表示以用于检索相关文章：")),
    (r"bge-.*-en", Recipe("cls", "Represent this sentence for searching relevant passages: ")),
    (r"bge-", Recipe("cls")),
)


def family(*names: str) -> Recipe:
    """Return the recipe of the family that one of a model's names says it belongs to."""
    for pattern, recipe in _FAMILIES:
        if any(re.search(pattern, name.casefold()) for name in names):
            return recipe
    return Recipe()


def recipe_of(folder: ModelFolder) -> Recipe:
    """Return how a model is used; raises ``ModelError`` where its pooling is not one of ours."""
    original = folder.config().get("_name_or_path", "")
    known = family(*(name.rstrip("/").rsplit("/", 1)[-1] for name in (folder.name, str(original))))
    prompts = (folder.read_json("config_sentence_transformers.json") or {}).get("prompts") or {}
    lower = (folder.read_json("sentence_bert_config.json") or {}).get("do_lower_case", False)
    return Recipe(
        pooling=_pooling(folder) or known.pooling,
        query=_prompt(prompts, _QUERY_PROMPTS, known.query),
        passage=_prompt(prompts, _TEXT_PROMPTS, known.passage),
        lower=bool(lower),
        closed=known.closed,
    )


def _prompt(prompts: Mapping[str, str], names: tuple[str, ...], default: str) -> str:
    # Newer versions of sentence-transformers write the prompts of every model, empty where it has none.
    return next((prompts[name] for name in names if prompts.get(name)), default)


def _pooling(folder: ModelFolder) -> Pooling | None:
    """Return the pooling that the folder's modules say, or None where they do not."""
    found: Pooling | None = None
    for module in folder.read_json("modules.json") or []:
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind == "Pooling":
            found = _read_pooling(folder, folder.read_json(f"{module['path']}/config.json") or {})
        elif kind not in ("Transformer", "Normalize"):
            raise ModelError(
                f"{folder.name} has a part that is not read here: {kind}",
                "use a model whose vectors are pooled from a transformer and nothing more",
            )
    return found


def _read_pooling(folder: ModelFolder, config: Mapping[str, Any]) -> Pooling:
    start = "pooling_mode_"
    modes = [key.removeprefix(start) for key, on in config.items() if key.startswith(start) and on]
    if not modes and config.get("pooling_mode"):
        modes = [cast("str", config["pooling_mode"])]
    if len(modes) != 1 or modes[0] not in _POOLINGS or config.get("include_prompt") is False:
        said = " and ".join(modes) or "nothing"
        raise ModelError(
            f"{folder.name} pools tokens by {said}, prompt included: {config.get('include_prompt', True)}",
            "use a model that pools by one of: " + ", ".join(sorted(set(_POOLINGS.values()))),
        )
    return _POOLINGS[modes[0]]

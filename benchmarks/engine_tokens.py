"""How many tokens cleaning leaves of real pages, and whether the answers are still in them.

    python benchmarks/engine_tokens.py --data DIR [--htmlrag PATH]

DIR holds ``faq`` (pages, and questions with their answers on them) and may hold ``wikitables``.
Tokens are o200k. Gold text of an FAQ page is all of its answers; recall and precision are of words
(a multiset, lower case), as a mean over pages; 4-grams tell whether words were glued or reordered.
Peers: htmlrag's ``clean_html`` (its ``html_utils.py``), trafilatura and BeautifulSoup where installed.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from engine_peers import load_htmlrag

from longleaf.clean import clean
from longleaf.decode import decode
from longleaf.serialise.html import to_html
from longleaf.serialise.markdown import to_markdown
from longleaf.serialise.text import to_text
from longleaf.tokens import default_counter
from longleaf.types import Document

_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.S | re.I)
_WORD = re.compile(r"\w+")
Tool = Callable[[str], str]


def words(text: str, is_html: bool) -> list[str]:
    """The words of an output: of HTML what is left without tags, each tag a gap."""
    if is_html:
        from html import unescape

        # Inline tags part no words, block-level ones do.
        text = re.sub(
            r"</?(?:b|i|em|strong|code|a|span|tt|var|sup|sub|q|cite|kbd|samp|abbr)\b[^>]*>", "", text
        )
        text = unescape(_MARKUP.sub(" ", text))
    return [word.lower() for word in _WORD.findall(text)]


def tools(htmlrag: Path | None) -> dict[str, tuple[Tool, bool]]:
    """Each tool and whether it gives HTML."""

    def cleaned(html: str) -> object:
        return clean(Document.from_html(html)).nodes

    found: dict[str, tuple[Tool, bool]] = {
        "raw page": (lambda html: html, True),
        "longleaf default, HTML": (lambda html: to_html(cleaned(html)), True),
        "longleaf default, Markdown": (lambda html: to_markdown(cleaned(html)), False),
        "longleaf default, text": (lambda html: to_text(cleaned(html)), False),
        "longleaf paper, HTML": (lambda html: to_html(clean(Document.from_html(html), "paper").nodes), True),
    }
    if htmlrag is not None:
        found["htmlrag clean_html"] = (load_htmlrag(htmlrag).clean_html, True)
    try:
        import trafilatura

        found["trafilatura, text"] = (lambda html: trafilatura.extract(html) or "", False)
    except ImportError:
        print("trafilatura is not installed: left out")
    try:
        from bs4 import BeautifulSoup

        found["BeautifulSoup get_text"] = (
            lambda html: BeautifulSoup(html, "html.parser").get_text(" "),
            False,
        )
    except ImportError:
        print("BeautifulSoup is not installed: left out")
    return found


def share(part: Counter[object], whole: Counter[object]) -> float:
    """How much of ``part`` is in ``whole``."""
    return sum((part & whole).values()) / max(1, sum(part.values()))


def grams(found: list[str]) -> Counter[object]:
    return Counter(zip(*(found[i:] for i in range(4)), strict=False))


def load(data: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """(page, gold text) of the FAQ pages, and other pages without gold."""
    gold: dict[str, list[str]] = {}
    for line in (data / "faq" / "questions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        gold.setdefault(row["page"], []).append(row["answer"])
    pages = [
        (decode((data / "faq" / page).read_bytes()), "\n".join(text)) for page, text in sorted(gold.items())
    ]
    others = sorted((data / "wikitables").rglob("*.html")) if (data / "wikitables").exists() else []
    return pages, [decode(path.read_bytes()) for path in others]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--htmlrag", type=Path, help="htmlrag's html_utils.py, to compare")
    args = parser.parse_args()
    pages, others = load(args.data)
    counter = default_counter()
    raw_faq = sum(counter.count_many([html for html, _ in pages]))
    raw_other = sum(counter.count_many(others)) if others else 0
    print(f"{len(pages)} FAQ pages with gold, {raw_faq} tokens; {len(others)} others, {raw_other} tokens")
    print(f"{'':28}  FAQ tokens  others   recall  4-grams  precision")
    for name, (tool, is_html) in tools(args.htmlrag).items():
        outputs = [tool(html) for html, _ in pages]
        kept = sum(counter.count_many(outputs)) / raw_faq
        rest = sum(counter.count_many([tool(html) for html in others])) / raw_other if others else 0.0
        rows = []
        for output, (_, text) in zip(outputs, pages, strict=True):
            said, gold = words(output, is_html), words(text, False)
            rows.append(
                (
                    share(Counter(gold), Counter(said)),
                    share(grams(gold), grams(said)),
                    share(Counter(said), Counter(gold)),
                )
            )
        recall, order, precision = (statistics.fmean(column) for column in zip(*rows, strict=True))
        print(f"{name:28}  {kept:9.2%}  {rest:7.2%}  {recall:6.4f}  {order:7.4f}  {precision:9.3f}")


if __name__ == "__main__":
    main()

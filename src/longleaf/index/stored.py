"""The blocks of a page as bytes, so that a candidate can be read without its page.

A question looks at some hundred blocks on dozens of pages; parsing these pages again would
cost more than everything else together. JSON, because a cache file must not run code.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from longleaf.types import Block, Span


def pack(blocks: Sequence[Block]) -> bytes:
    """Return blocks as compressed bytes."""
    rows = [
        (b.path, b.span.start, b.span.end, b.text, b.words, b.headings, b.kind, b.anchor, b.context, b.header)
        for b in blocks
    ]
    return zlib.compress(json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)


def unpack(data: bytes) -> tuple[Block, ...]:
    """Return the blocks that ``pack`` was given."""
    rows = json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
    return tuple(
        Block(
            id=i,
            path=path,
            span=Span((start[0], start[1]), (end[0], end[1])),
            text=text,
            words=words,
            tokens=None,
            headings=tuple(headings),
            kind=kind,
            anchor=anchor,
            context=tuple(context),
            header=header,
        )
        for i, (path, start, end, text, words, headings, kind, anchor, context, header) in enumerate(rows)
    )

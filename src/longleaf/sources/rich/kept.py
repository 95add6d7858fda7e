"""Conversions kept: the last ones in this process, slow ones as files in the user's cache folder.

A question opens the pages it found again; a book must not be converted anew each time.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from longleaf.cache import cache_dir, keep
from longleaf.sources.rich.converted import Converted

# Changes with anything that changes the HTML of a converter.
VERSION = "1"
# What is faster than this is not worth a file.
SLOW_SECONDS = 1.0
# Characters of converted pages that stay at hand in this process.
MAX_CHARS = 16_000_000
_recent: OrderedDict[str, Converted] = OrderedDict()


def kept(kind: str, data: bytes, convert: Callable[[], Converted]) -> Converted:
    """Return what ``convert`` makes of ``data``, or what it made of the same bytes before."""
    digest = hashlib.blake2b(data, digest_size=16, person=f"{VERSION} {kind}".encode()).hexdigest()
    converted = _recent.pop(digest, None) or _load(_file(digest))
    if converted is None:
        began = time.monotonic()
        converted = convert()
        if time.monotonic() - began > SLOW_SECONDS and (file := _file(digest)) is not None:
            keep(file, _packed(converted))
    _recent[digest] = converted
    while len(_recent) > 1 and sum(len(c.html) for c in list(_recent.values())) > MAX_CHARS:
        _recent.popitem(last=False)
    return converted


def forget() -> None:
    """Forget what this process holds; files stay."""
    _recent.clear()


def _file(digest: str) -> Path | None:
    folder = cache_dir()
    return None if folder is None else folder / f"converted-{digest}.z"


def _packed(converted: Converted) -> bytes:
    # JSON, because a cache file must not run code.
    return zlib.compress(json.dumps([converted.html, dict(converted.meta)]).encode(), 3)


def _load(file: Path | None) -> Converted | None:
    """Return what a file holds; an unusable one is as good as none."""
    if file is None:
        return None
    try:
        html, meta = json.loads(zlib.decompress(file.read_bytes()))
        return Converted(str(html), {str(k): str(v) for k, v in meta.items()})
    except (OSError, ValueError, TypeError, AttributeError, zlib.error):
        return None

"""The example site: other people's pages, unchanged, with their licence, and small."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "examples" / "site"
DIGESTS = [line.split("  ") for line in (SITE / "SHA256SUMS").read_text("utf-8").splitlines()]
MAX_BYTES = 3_500_000


@pytest.mark.parametrize(("digest", "name"), DIGESTS, ids=[name for _, name in DIGESTS])
def test_a_page_is_as_it_was_published(digest: str, name: str) -> None:
    assert hashlib.sha256((SITE / name).read_bytes()).hexdigest() == digest


def test_every_page_is_listed_and_all_are_small_together() -> None:
    pages = sorted(SITE.rglob("*.html"))
    assert [page.relative_to(SITE).as_posix() for page in pages] == [name for _, name in DIGESTS]
    assert sum(page.stat().st_size for page in pages) <= MAX_BYTES


def test_the_licence_travels_with_the_pages() -> None:
    licence = (SITE / "LICENSE").read_text("utf-8")
    assert "Copyright © 2001-2023 Python Software Foundation" in licence
    assert "PSF LICENSE AGREEMENT FOR PYTHON 3.11.2" in licence
    assert "ZERO-CLAUSE BSD LICENSE" in licence

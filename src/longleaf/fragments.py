"""Addresses that open a page at given words: anchors and text fragments (URL text directives)."""

from __future__ import annotations

import os
from urllib.parse import quote


def text_fragment(url: str, anchor: str, text: str) -> str:
    """Return ``url`` pointing at ``text``: nearest anchor plus a text fragment.

    Long or many-celled quotes use the range form ``text=first,last``, because a browser
    matches a fragment inside one block only.
    """
    lines = [line for line in text.replace("\t", "\n").splitlines() if line.strip()]
    words = text.split()
    if not words:
        return _address(url) + (f"#{_anchor(anchor)}" if anchor else "")
    if len(lines) == 1 and len(words) <= 12:
        part = _escape(" ".join(words))
    else:
        part = _escape(" ".join(lines[0].split()[:5])) + "," + _escape(" ".join(lines[-1].split()[-5:]))
    return f"{_address(url)}#{_anchor(anchor)}:~:text={part}"


def _anchor(name: str) -> str:
    # "page=3&paragraph=2" is a parameter list to a PDF viewer, and only with these two as they are.
    return quote(name, safe="/=&")


def _address(url: str) -> str:
    if "://" in url:
        return url.split("#")[0]
    # A file's path may hold what has a meaning in a URL ("a #1?.html"), and bytes that are no text.
    return "" if url == "-" else quote(os.fsencode(url), safe="/:\\")


def _escape(text: str) -> str:
    # '-' and ',' are syntax inside a text directive, so they are percent-encoded as well.
    return quote(text, safe="", errors="replace").replace("-", "%2D")

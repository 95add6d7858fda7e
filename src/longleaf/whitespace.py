"""White space as a browser shows it, and characters that show nothing."""

from __future__ import annotations

import re

WHITE = "\t\n\r\f"
_WHITE = WHITE + "\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SPACES = re.compile("  +")
# Soft hyphens, zero-width spaces and byte order marks: invisible, and they tear words apart.
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
# C0 and C1 controls (a terminal obeys them); tab and line breaks are white space.
_CONTROL = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")


def visible(text: str, exact: bool) -> str:
    """Return text as a browser shows it: white space collapsed unless ``exact``, nothing invisible."""
    if _CONTROL.search(text):
        text = _CONTROL.sub("", text)
    if exact:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    else:
        for mark in _INVISIBLE if not text.isascii() else ():
            text = text.replace(mark, "")
        for space in WHITE if text.isascii() else _WHITE:
            text = text.replace(space, " ")
        if "  " in text:
            text = _SPACES.sub(" ", text)
    return text

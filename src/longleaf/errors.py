"""Every failure that Longleaf raises on purpose, and the exit code each one means.

The tree::

    LongleafError                  1  anything below; carries ``message`` and ``hint``
    ├── UsageError                 2  the caller asked for something that makes no sense
    │   ├── EmptyQuestion          2  a question without a single letter or digit
    │   └── BadBudget              2  a budget that is not a positive number of tokens
    ├── SourceError                1  something about where pages come from
    │   ├── SourceMissing          1  no such file, folder or address
    │   ├── NoPages                1  a folder or archive without one readable HTML page
    │   └── NetworkRefused         1  a network call that nobody allowed (``--offline``, private address)
    ├── DocumentError              1  one page that cannot be used
    │   ├── Unreadable             1  the bytes cannot be read or decoded
    │   ├── NotHtml                1  binary data where a page was expected
    │   ├── EmptyDocument          1  a page without visible text
    │   └── TooLarge               1  a page over the size limit
    ├── CacheError                 1  the cache folder cannot be used
    ├── MissingExtra               1  an optional package is not installed; names the extra
    └── ModelError                 4  a model is unreachable, missing or misconfigured

Messages say what happened and where; hints say what to do. Abstaining is not an error:
it is an ``Answer`` with ``abstained`` set (exit code 3).
"""

from __future__ import annotations

from typing import ClassVar


class LongleafError(Exception):
    """Something that Longleaf refuses to do, with what the user can do about it."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_dict(self) -> dict[str, str]:
        """Return the ``error`` object of the command line's JSON."""
        return {"type": type(self).__name__, "message": self.message, "hint": self.hint}


class UsageError(LongleafError):
    """The request itself makes no sense."""

    exit_code = 2


class EmptyQuestion(UsageError):
    """The question holds no word."""


class BadBudget(UsageError):
    """The budget is not a positive number of tokens."""


class SourceError(LongleafError):
    """Pages cannot be had from where the user pointed."""


class SourceMissing(SourceError):
    """There is no such file, folder or address."""


class NoPages(SourceError):
    """The source exists but holds no readable HTML page."""


class NetworkRefused(SourceError):
    """A network call that nobody allowed."""


class DocumentError(LongleafError):
    """One page cannot be used."""


class Unreadable(DocumentError):
    """The bytes cannot be read or decoded."""


class NotHtml(DocumentError):
    """The data is binary, not a page."""


class EmptyDocument(DocumentError):
    """The page has no visible text."""


class TooLarge(DocumentError):
    """The page is over the size limit."""


class CacheError(LongleafError):
    """The cache folder cannot be used."""


class MissingExtra(LongleafError):
    """An optional package is not installed."""


class ModelError(LongleafError):
    """A model is unreachable, missing or misconfigured."""

    exit_code = 4

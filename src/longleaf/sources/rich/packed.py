"""Reading a ZIP container (DOCX, EPUB) that may be broken, or made to burst."""

from __future__ import annotations

import io
import zipfile
import zlib

from longleaf.errors import TooLarge, Unreadable
from longleaf.parse import MAX_PAGE_BYTES

# A book has some hundred parts; the central directory of a bomb can list a million.
MAX_PARTS = 20_000
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


class Packed:
    """A container whose parts are read one by one, never more than a limit in all (``MAX_PAGE_BYTES``)."""

    def __init__(self, data: bytes, name: str, limit: int = 0) -> None:
        self.name = name
        self.limit = self.left = limit or MAX_PAGE_BYTES
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self.parts = {info.filename: info for info in self._zip.infolist()}
        except _BROKEN as error:
            raise self._broken(error) from error
        if len(self.parts) > MAX_PARTS:
            raise TooLarge(
                f"{name}: {len(self.parts)} parts, over the limit of {MAX_PARTS}", "unpack and split it"
            )

    def __contains__(self, part: str) -> bool:
        return part in self.parts

    def read(self, part: str) -> bytes:
        """Return one part; raises ``Unreadable``, or ``TooLarge`` before it is unpacked."""
        info = self.parts.get(part)
        if info is None:
            raise Unreadable(f"{self.name}: {part} is missing in it", "check that the file is whole")
        self.spend(info.file_size)
        try:
            # A part that holds more than its header says ends in BadZipFile, not in more memory.
            return self._zip.read(info)
        except _BROKEN as error:
            raise self._broken(error) from error

    def spend(self, size: int) -> None:
        """Count bytes that are going to be unpacked; raises ``TooLarge``."""
        self.left -= size
        if self.left < 0:
            raise TooLarge(
                f"{self.name}: its text is over the limit of {self.limit} bytes unpacked",
                "split the file, or leave it out",
            )

    def xml(self, part: str) -> bytes:
        """Return a part that is XML without entities of its own, which could multiply without end."""
        data = self.read(part)
        if has_entities(data):
            raise Unreadable(
                f"{self.name}: {part} declares XML entities, which such a file must not",
                "save it again with the program that made it",
            )
        return data

    def _broken(self, error: Exception) -> Unreadable:
        said = str(error) or type(error).__name__
        return Unreadable(f"{self.name}: broken, or protected ({said})", "check that the file is whole")


def has_entities(data: bytes) -> bool:
    """Return whether XML declares entities, in whatever encoding it is."""
    return b"<!ENTITY" in (data.replace(b"\x00", b"") if b"\x00" in data[:4] else data)

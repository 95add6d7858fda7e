"""Just enough of the Protocol Buffers wire format to read and write an ONNX file.

A message is a run of fields; a field is a key (number << 3 | wire type) and a value. Two wire
types are written here, varint (0) and length-delimited (2); all four are read. Source: the
encoding chapter of the Protocol Buffers language guide.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def varint(value: int) -> bytes:
    """Return ``value`` (an int64) in base 128, least significant group first."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def head(number: int, size: int) -> bytes:
    """Return what stands before a length-delimited value of ``size`` bytes."""
    return varint(number << 3 | _BYTES) + varint(size)


def field(number: int, value: int | float | str | bytes) -> bytes:
    """Return one field: an int as a varint, a float as 4 bytes, text and messages with their length."""
    if isinstance(value, float):
        return varint(number << 3 | _FIXED32) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3 | _VARINT) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return head(number, len(data)) + data


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield ``(number, value)`` of each field; values are ints or views, nothing is copied.

    Raises ``ValueError`` where the bytes are no message.
    """
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _read_varint(message, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        if at + size > len(message):
            raise ValueError(f"field {number} runs past the end of the message")
        yield number, message[at : at + size]
        at += size


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError(f"no end of the number at byte {at}")

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.models.protobuf import field, fields, head, varint


def read(message: bytes) -> list[tuple[int, object]]:
    pairs = fields(memoryview(message))
    return [(number, value if isinstance(value, int) else bytes(value)) for number, value in pairs]


def test_the_published_examples() -> None:
    # From the encoding chapter of the language guide: 150 is 96 01; field 1 = 150; field 2 = "testing".
    assert varint(150) == b"\x96\x01"
    assert field(1, 150) == b"\x08\x96\x01"
    assert field(2, "testing") == b"\x12\x07testing"


def test_a_negative_number_takes_ten_bytes() -> None:
    assert field(3, -1) == b"\x18" + b"\xff" * 9 + b"\x01"
    assert read(field(3, -1)) == [(3, 2**64 - 1)]


@given(st.integers(1, 2**29 - 1), st.integers(0, 2**63 - 1), st.binary(max_size=300))
def test_what_is_written_is_read(number: int, value: int, data: bytes) -> None:
    message = field(number, value) + field(number, data) + field(number, 0.5)
    assert read(message) == [(number, value), (number, data), (number, struct.pack("<f", 0.5))]


def test_fixed_64_is_skipped_over() -> None:
    assert read(b"\x09" + bytes(8) + field(2, 7)) == [(1, bytes(8)), (2, 7)]


@given(st.binary(max_size=300))
def test_a_head_and_its_bytes_are_a_field(data: bytes) -> None:
    assert head(9, len(data)) + data == field(9, data)


@pytest.mark.parametrize("message", [b"\x0a\x05abc", b"\x08", b"\x80" * 12, b"\x0b", b"\x0c"])
def test_broken_bytes_are_a_value_error(message: bytes) -> None:
    with pytest.raises(ValueError):
        read(message)

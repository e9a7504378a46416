"""The fields of a protobuf message: numbers and raw values, as they stand on the wire."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

Raw = int | memoryview
"""A number, or the bytes of a text or of a message; fixed numbers stay bytes."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10  # bytes of a 64-bit number with 7 bits in each


def fields_of(message: memoryview) -> Iterator[tuple[int, Raw]]:
    """Every field in order, with its number; InputError where the bytes end too early."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        kind = tag & 7  # the lowest three bits say how long the value is
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            length, at = _varint(message, at)
        elif kind in {_FIXED64, _FIXED32}:
            length = 8 if kind == _FIXED64 else 4
        else:
            raise _broken("a value of an unknown kind")
        if length > end - at:
            raise _broken("a value that is longer than the message")
        yield tag >> 3, message[at : at + length]
        at += length


def signed(number: int) -> int:
    """Negative numbers are sent as 64 bits in two's complement."""
    return number - (1 << 64) if number >= 1 << 63 else number


def double(raw: Raw) -> float:
    """A floating-point number from its eight bytes."""
    if isinstance(raw, int) or len(raw) != 8:
        raise _broken("a number of the wrong length")
    found: float = struct.unpack("<d", raw)[0]
    return found


def text(raw: Raw) -> str:
    """A text from its bytes."""
    try:
        return str(raw) if isinstance(raw, int) else str(raw, "utf-8")
    except UnicodeDecodeError:
        raise _broken("a text that is not UTF-8") from None


def part(raw: Raw) -> memoryview:
    """The bytes of a message inside a message."""
    if isinstance(raw, int):
        raise _broken("a number where a message is expected")
    return raw


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of variable length, and the place after it."""
    found = 0
    for place in range(_LONGEST_VARINT):
        if at + place >= len(message):
            raise _broken("a number that does not end")
        byte = message[at + place]
        found |= (byte & 0x7F) << (7 * place)  # the top bit says that more bytes follow
        if byte < 0x80:
            return found & ((1 << 64) - 1), at + place + 1
    raise _broken("a number that is too long")


def _broken(what: str) -> InputError:
    return InputError(f"the protobuf holds {what}", place="body", next="send application/json")

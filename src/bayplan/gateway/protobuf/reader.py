"""Fields of a message in their order; what no message can look like is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Iterator

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5
_MOST_VARINT_BYTES: Final = 10


class WireError(BayplanError):
    """Bytes that are no message."""

    code = "protobuf"


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A number, and where it ends. Nearly all lengths have one byte or two."""
    if at < end:
        first = data[at]
        if first < 0x80:
            return first, at + 1
        if at + 1 < end and (second := data[at + 1]) < 0x80:
            return first & 0x7F | second << 7, at + 2
    return _long_varint(data, at, end)


def _long_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 7 * _MOST_VARINT_BYTES, 7):
        if at >= end:
            raise WireError("a message ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise WireError("a number has more than ten bytes")


def span(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Where a field with a length begins and ends; `at` is the place of its length."""
    size, at = varint(data, at, end)
    if size > end - at:
        raise WireError(f"a field of {size} bytes in a message that has {end - at} left")
    return at, at + size


def fields(data: bytes, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
    """Number and kind of each field, and where it begins and ends; of a varint, its value and where it ends."""
    stop = len(data) if end is None else end
    while at < stop:
        tag, at = varint(data, at, stop)
        number, kind = tag >> 3, tag & 7
        if not number:
            raise WireError("a field has the number 0")
        if kind == VARINT:
            value, at = varint(data, at, stop)
            yield number, kind, value, at
        else:
            begin, at = _bounds(data, at, stop, kind)
            yield number, kind, begin, at


def _bounds(data: bytes, at: int, end: int, kind: int) -> tuple[int, int]:
    if kind == LENGTH:
        return span(data, at, end)
    size = {FIXED64: 8, FIXED32: 4}.get(kind)
    if size is None:
        raise WireError(f"a field of kind {kind}, which does not exist")
    if size > end - at:
        raise WireError("a message ends inside a number")
    return at, at + size

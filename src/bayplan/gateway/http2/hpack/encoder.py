"""Headers to a block that any decoder reads: no table is filled, no string is compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.gateway.http2.hpack.static_table import STATIC_TABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

_WHOLE: Final = {header: number for number, header in enumerate(STATIC_TABLE, 1)}
_NAMES: Final = {name: number for number, (name, _) in reversed(list(enumerate(STATIC_TABLE, 1)))}


def encode(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A block. Names have to be in lower case."""
    return b"".join(map(_field, headers))


def _field(header: tuple[bytes, bytes]) -> bytes:
    name, value = header
    if number := _WHOLE.get(header):
        return bytes((0x80 | number,))
    if number := _NAMES.get(name):
        return _integer(number, 4) + _string(value)
    return b"\x00" + _string(name) + _string(value)


def _string(text: bytes) -> bytes:
    return _integer(len(text), 7) + text


def _integer(value: int, bits: int) -> bytes:
    most = (1 << bits) - 1
    if value < most:
        return bytes((value,))
    found = bytearray((most,))
    value -= most
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)

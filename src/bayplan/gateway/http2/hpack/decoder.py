"""Headers of a block (RFC 7541): a table that the peer may fill, under our limits."""

from __future__ import annotations

from collections import deque
from typing import Final

from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.faults import ConnectionFault
from bayplan.gateway.http2.hpack import huffman
from bayplan.gateway.http2.hpack.static_table import FIRST_DYNAMIC, STATIC_TABLE

Header = tuple[bytes, bytes]

DEFAULT_TABLE_BYTES: Final = 4_096  # what a peer may use until it has read our settings
_ENTRY_BYTES: Final = 32  # that each header counts beside its name and value
_MOST_INTEGER_BITS: Final = 28  # far above any length or number that is allowed here


class Decoder:
    """One direction of one connection. `list_bytes` bounds what a block may unfold to.

    After `limit_table(0)` and the peer's next block, blocks mean the same wherever they stand (`is_stateless`).
    """

    def __init__(self, list_bytes: int) -> None:
        self._list_bytes = list_bytes
        self._table: deque[Header] = deque()
        self._table_bytes = 0
        self._size = self._allowed = DEFAULT_TABLE_BYTES
        self._owes_update = False

    @property
    def is_stateless(self) -> bool:
        """Whether no block can change what another one means."""
        return self._size == self._allowed == 0

    def limit_table(self, most_bytes: int) -> None:
        """The peer knows our limit now: its next block has to begin with a size that keeps it."""
        self._owes_update = most_bytes < self._size
        self._allowed = most_bytes

    def decode(self, block: bytes) -> list[Header]:
        """The headers in their order. What cannot be decoded ends the connection: the tables would differ."""
        found: list[Header] = []
        at = self._updates(block)
        left = self._list_bytes
        while at < len(block):
            first = block[at]
            if first & 0x80:
                number, at = _integer(block, at, 7)
                header = self._entry(number)
            elif first & 0x40:
                header, at = self._literal(block, at, 6)
                self._keep(header)
            elif first & 0x20:
                raise _broken("the size of the table changes inside a block")
            else:
                header, at = self._literal(block, at, 4)
            left -= len(header[0]) + len(header[1]) + _ENTRY_BYTES
            if left < 0:
                raise ConnectionFault(Reason.ENHANCE_YOUR_CALM, f"headers of more than {self._list_bytes} bytes")
            found.append(header)
        return found

    def _updates(self, block: bytes) -> int:
        at = 0
        while at < len(block) and block[at] & 0xE0 == 0x20:
            size, at = _integer(block, at, 5)
            if size > self._allowed:
                raise _broken(f"a table of {size} bytes, where {self._allowed} are allowed")
            self._size = size
            self._owes_update = False
            self._shrink(size)
        if self._owes_update:
            raise _broken(f"the table was not made smaller, though only {self._allowed} bytes are allowed")
        return at

    def _entry(self, number: int) -> Header:
        if 0 < number < FIRST_DYNAMIC:
            return STATIC_TABLE[number - 1]
        place = number - FIRST_DYNAMIC
        if not 0 <= place < len(self._table):
            raise _broken(f"no header has the number {number}")
        return self._table[place]

    def _literal(self, block: bytes, at: int, bits: int) -> tuple[Header, int]:
        number, at = _integer(block, at, bits)
        if number:
            name = self._entry(number)[0]
        else:
            name, at = _string(block, at)
        value, at = _string(block, at)
        return (name, value), at

    def _keep(self, header: Header) -> None:
        size = len(header[0]) + len(header[1]) + _ENTRY_BYTES
        self._shrink(self._size - size)
        if size <= self._size:
            self._table.appendleft(header)
            self._table_bytes += size

    def _shrink(self, most_bytes: int) -> None:
        while self._table and self._table_bytes > most_bytes:
            name, value = self._table.pop()
            self._table_bytes -= len(name) + len(value) + _ENTRY_BYTES


def _integer(block: bytes, at: int, bits: int) -> tuple[int, int]:
    most = (1 << bits) - 1
    value = block[at] & most
    at += 1
    if value < most:
        return value, at
    for shift in range(0, _MOST_INTEGER_BITS, 7):
        if at >= len(block):
            raise _broken("a block ends inside a number")
        value += (block[at] & 0x7F) << shift
        at += 1
        if block[at - 1] < 0x80:
            return value, at
    raise _broken("a number is too long")


def _string(block: bytes, at: int) -> tuple[bytes, int]:
    if at >= len(block):
        raise _broken("a block ends before a string")
    is_huffman = block[at] & 0x80
    length, at = _integer(block, at, 7)
    end = at + length
    if end > len(block):
        raise _broken("a block ends inside a string")
    if not is_huffman:
        return block[at:end], end
    text = huffman.decode(block[at:end])
    if text is None:
        raise _broken("a string is not coded as it should be")
    return text, end


def _broken(message: str) -> ConnectionFault:
    return ConnectionFault(Reason.COMPRESSION_ERROR, message)

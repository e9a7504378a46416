"""Where a body in chunks ends, found without touching what is in the chunks."""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[^\r\n]{0,1024})?")
"""15 digits cannot overflow anything; extensions mean nothing to us and are bounded."""
_LONGEST_LINE: Final = 2_048
_TRAILER_BYTES: Final = 16 * 1024
_END: Final = b"\r\n\r\n"
_KEPT_SIZES: Final = 4_096  # engines write chunks of few sizes; hostile ones must not fill the memory
_sizes: dict[bytes, int] = {}

GOES_ON: Final = -1


class ChunkError(Exception):
    """The bytes are no chunks."""


class Chunks:
    """Follows one body through the pieces in which it arrives.

    `scan` returns the offset behind the last byte of the body, or `GOES_ON`. `spans` collects the offsets of data in
    the last piece, for those who need it without its frames; nothing is collected unless it is a list.
    """

    __slots__ = ("_in_trailers", "_left", "_line", "spans")

    def __init__(self, *, collects: bool = False) -> None:
        self._left = 0  # bytes of the chunk and its line end that are still to come
        self._line = b""  # a beginning of a size line or of trailers
        self._in_trailers = False
        self.spans: list[tuple[int, int]] | None = [] if collects else None

    def scan(self, data: bytes) -> int:
        """Follow one piece."""
        if self.spans is not None:
            self.spans.clear()
        if self._line:
            return self._joined(data)
        return self._from(data, 0)

    def _joined(self, data: bytes) -> int:
        """Go on with a line that began in an earlier piece."""
        before = self._line
        self._line = b""
        whole = before + data
        found = self._in_trailer_lines(whole, 0) if self._in_trailers else self._from(whole, 0)
        shift = len(before)
        if self.spans:
            self.spans[:] = [(max(0, begin - shift), end - shift) for begin, end in self.spans if end > shift]
        return found if found == GOES_ON else found - shift

    def _from(self, data: bytes, position: int) -> int:
        size = len(data)
        if self._left:
            position = self._rest(data, size)
        while position < size:
            end = data.find(b"\r\n", position)
            if end < 0:
                return self._keep(data[position:], _LONGEST_LINE)
            line = data[position:end]
            length = _sizes.get(line)
            if length is None:
                length = _learn(line)
            if not length:
                return self._in_trailer_lines(data, end)
            begin = end + 2
            position = begin + length + 2
            if self.spans is not None:
                self.spans.append((begin, min(size, begin + length)))
            if position <= size:
                if data[position - 2 : position] != b"\r\n":
                    raise ChunkError("a chunk is longer than its size says")
            else:
                self._left = position - size
                if self._left == 1 and data[-1] != 13:
                    raise ChunkError("a chunk is longer than its size says")
        return GOES_ON

    def _rest(self, data: bytes, size: int) -> int:
        """Pass the rest of a chunk that began in an earlier piece; the offset behind it."""
        left = self._left
        if self.spans is not None and left > 2:
            self.spans.append((0, min(size, left - 2)))
        if left > size:
            self._left = left - size
            if self._left == 1 and data[-1] != 13:
                raise ChunkError("a chunk is longer than its size says")
            return size
        if data[max(0, left - 2) : left] != b"\r\n"[-left:]:
            raise ChunkError("a chunk is longer than its size says")
        self._left = 0
        return left

    def _in_trailer_lines(self, data: bytes, position: int) -> int:
        """Find the empty line; `position` is where the line of the last chunk ends."""
        end = data.find(_END, position)
        if end >= 0:
            return end + len(_END)
        self._in_trailers = True
        return self._keep(data[position:], _TRAILER_BYTES)

    def _keep(self, line: bytes, most: int) -> int:
        if len(line) > most:
            raise ChunkError(f"a line between chunks has more than {most} bytes")
        self._line = line
        return GOES_ON


def _learn(line: bytes) -> int:
    found = _SIZE.fullmatch(line)
    if found is None:
        raise ChunkError("a chunk begins with something else than its size")
    length = int(found[1], 16)
    if len(_sizes) < _KEPT_SIZES and len(line) <= 16:
        _sizes[line] = length
    return length

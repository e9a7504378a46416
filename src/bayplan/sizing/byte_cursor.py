"""A position in a file that is read in small windows: a header of any length takes one window of memory."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Protocol

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from typing import Final

WINDOW_BYTES: Final = 2**20  # most headers fit into one read, and no header takes more memory than this


class ByteSource(Protocol):
    """A file of a known size that gives the bytes at an offset; fewer at its end."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, length: int) -> bytes: ...


class ByteCursor:
    """Reads little-endian numbers and texts in order; every step is checked against the end of the file."""

    __slots__ = ("_begin", "_source", "_window", "offset", "size_bytes")

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._window = b""
        self._begin = 0
        self.size_bytes = source.size_bytes
        self.offset = 0

    def number(self, form: struct.Struct) -> int | float:
        """The next number of this form."""
        self._need(form.size)
        found: int | float = form.unpack_from(self._window, self.offset - self._begin)[0]
        self.offset += form.size
        return found

    def take(self, length: int) -> bytes:
        """The next bytes."""
        self._need(length)
        start = self.offset - self._begin
        self.offset += length
        return self._window[start : start + length]

    def skip(self, length: int) -> None:
        """Skip bytes without reading them."""
        if length > self.size_bytes - self.offset:
            raise self.refusal(f"{length:,} bytes should follow, and the file has {self.size_bytes - self.offset:,}")
        self.offset += length

    def skip_texts(self, count: int) -> None:
        """Skip texts, each of which begins with its length: the only long loop of a header, so it makes no calls."""
        unpack = struct.Struct("<Q").unpack_from
        while count:
            self._need(8)
            window, begin = self._window, self._begin
            position, last = self.offset - begin, len(window) - 8
            while count and position <= last:
                position += 8 + unpack(window, position)[0]
                count -= 1
            self.offset = begin + position
            if self.offset > self.size_bytes:
                raise self.refusal("a text ends beyond the file")

    def refusal(self, message: str) -> InputError:
        """An error at this position of the file."""
        return InputError(message, place=f"byte {self.offset:,}", next="check that the file is whole")

    def _need(self, length: int) -> None:
        if self.offset + length <= self._begin + len(self._window) and self.offset >= self._begin:
            return
        if length > self.size_bytes - self.offset:
            raise self.refusal(f"{length:,} bytes should follow, and the file has {self.size_bytes - self.offset:,}")
        self._begin = self.offset
        self._window = self._source.read(self.offset, max(length, WINDOW_BYTES))
        if len(self._window) < length:
            raise self.refusal(f"{length:,} bytes should follow, and the file gave {len(self._window):,}")

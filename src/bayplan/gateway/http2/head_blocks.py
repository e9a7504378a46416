"""Blocks of headers, put together from their frames and decoded, or looked up where they came before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.faults import ConnectionFault
from bayplan.gateway.http2.hpack.decoder import Decoder
from bayplan.gateway.http2.request_head import RequestHead, check_trailers, read_head

if TYPE_CHECKING:
    from bayplan.gateway.http2.limits import Limits

_KEPT_BLOCKS: Final = 64  # a gateway has one or two; more come from peers whose headers differ with each call
_KEPT_BYTES: Final = 1_024  # of a block that is kept


class HeadBlocks:
    """The heads of one connection.

    A peer that keeps no table, as we ask, sends blocks that mean the same wherever they stand. A gateway's calls have
    equal heads, so nearly all of them are found here without decoding.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._decoder = Decoder(limits.header_list_bytes)
        self._pieces: list[bytes] = []
        self._bytes = 0
        self._known: dict[bytes, RequestHead] = {}

    def acknowledged(self) -> None:
        """The peer has read our settings."""
        self._decoder.limit_table(self._limits.table_bytes)

    def add(self, piece: bytes) -> None:
        """A frame of a block that goes on."""
        self._pieces.append(piece)
        self._bytes += len(piece)
        if self._bytes > self._limits.header_block_bytes or len(self._pieces) > self._limits.continuations:
            raise ConnectionFault(
                Reason.ENHANCE_YOUR_CALM, f"headers in {len(self._pieces)} frames of {self._bytes} bytes"
            )

    def take(self) -> bytes:
        """The whole block."""
        block = b"".join(self._pieces)
        self._pieces.clear()
        self._bytes = 0
        return block

    def request(self, block: bytes) -> RequestHead:
        """The head of a request."""
        head = self._known.get(block)
        if head is None:
            head = read_head(self._decoder.decode(block))
            if self._decoder.is_stateless and len(block) <= _KEPT_BYTES:
                if len(self._known) >= _KEPT_BLOCKS:
                    self._known.clear()
                self._known[block] = head
        return head

    def trailers(self, block: bytes) -> None:
        """Trailers, which are only checked."""
        check_trailers(self._decoder.decode(block))

    def skip(self, block: bytes) -> None:
        """The block of a stream that is over; the table has to follow it all the same."""
        self._decoder.decode(block)

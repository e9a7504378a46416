"""What we allow a peer: the settings that it is told, and limits that no setting can tell."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from bayplan.gateway.http2 import codes

_SETTING: Final = struct.Struct(">HI")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one connection.

    `window_bytes` is how much of one stream, `connection_bytes` how much of all streams may be under way to us.
    A peer that sends more than `misuse_burst` frames without use, of which `misuse_per_s` are forgiven each second, is
    disconnected.
    """

    streams: int = 10_000  # a request that waits for an endpoint keeps its stream open
    window_bytes: int = 1024 * 1024
    connection_bytes: int = 16 * 1024 * 1024
    header_block_bytes: int = 64 * 1024  # of all frames of a block, compressed
    header_list_bytes: int = 64 * 1024  # as headers
    continuations: int = 16  # frames of a block; a peer needs five for the largest one
    misuse_burst: int = 2_000
    misuse_per_s: float = 200.0
    table_bytes: int = 0  # without a table, blocks that come again need no decoding

    def settings(self) -> bytes:
        """The payload of our SETTINGS frame."""
        return b"".join(
            _SETTING.pack(number, value)
            for number, value in (
                (codes.HEADER_TABLE_SIZE, self.table_bytes),
                (codes.MAX_CONCURRENT_STREAMS, self.streams),
                (codes.INITIAL_WINDOW_SIZE, self.window_bytes),
                (codes.MAX_HEADER_LIST_SIZE, self.header_list_bytes),
            )
        )

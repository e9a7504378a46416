"""Frames as bytes."""

from __future__ import annotations

import struct
from typing import Final

from bayplan.gateway.http2 import codes
from bayplan.gateway.http2.faults import broken

FRAME: Final = struct.Struct(">IBI")
"""Length in the upper 24 bits and type in the lower 8, flags, stream."""

_NUMBER: Final = struct.Struct(">I")
_TWO_NUMBERS: Final = struct.Struct(">II")


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Any frame."""
    return FRAME.pack(len(payload) << 8 | kind, flags, stream) + payload


def window_update(stream: int, more_bytes: int) -> bytes:
    """Let the peer send more; stream 0 is the whole connection."""
    return frame(codes.WINDOW_UPDATE, 0, stream, _NUMBER.pack(more_bytes))


def reset(stream: int, reason: int) -> bytes:
    """Break a stream off."""
    return frame(codes.RST_STREAM, 0, stream, _NUMBER.pack(reason))


def goaway(last_stream: int, reason: int, text: str = "") -> bytes:
    """Say which streams are still served, and why the connection ends."""
    return frame(codes.GOAWAY, 0, 0, _TWO_NUMBERS.pack(last_stream, reason) + text.encode()[:200])


def long_headers(stream: int, block: bytes, most_bytes: int, flags: int) -> bytes:
    """HEADERS and CONTINUATION, for a block that does not fit into one frame."""
    first, *between, last = (block[at : at + most_bytes] for at in range(0, len(block), most_bytes))
    return b"".join(
        (
            frame(codes.HEADERS, flags, stream, first),
            *(frame(codes.CONTINUATION, 0, stream, piece) for piece in between),
            frame(codes.CONTINUATION, codes.END_HEADERS, stream, last),
        )
    )


def unpadded(payload: bytes) -> bytes:
    """The payload of a frame without its padding."""
    if not payload or payload[0] >= len(payload):
        raise broken("more padding than the frame has bytes")
    return payload[1 : len(payload) - payload[0]]

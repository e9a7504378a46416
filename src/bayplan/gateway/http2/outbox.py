"""What a connection has to send, and how much it may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.gateway.http2 import codes
from bayplan.gateway.http2.codes import END_HEADERS, HEADERS
from bayplan.gateway.http2.frames import FRAME, long_headers
from bayplan.gateway.http2.peer_settings import PeerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.http2.stream import Stream

_NO_TABLE: Final = b"\x20"  # RFC 7541, 6.3: the size of the table is 0 from here on


class Outbox:
    """Frames in their order, the window of the whole connection, and the streams whose data waits for a window.

    `wake` is called when something was put while the connection was not reading, so that it gets sent.
    """

    __slots__ = ("_forget", "_pieces", "_told_size", "is_awake", "settings", "waiting", "wake", "window_bytes")

    def __init__(self, forget: Callable[[Stream, bool], None]) -> None:
        self.settings = PeerSettings()
        self.window_bytes = codes.DEFAULT_WINDOW
        self.waiting: dict[int, Stream] = {}
        self.is_awake = False
        self.wake: Callable[[], None] = _nobody
        self._pieces: list[bytes] = []
        self._told_size = False
        self._forget = forget

    def put(self, piece: bytes) -> None:
        """Add one frame or more."""
        self._pieces.append(piece)
        if not self.is_awake:
            self.is_awake = True
            self.wake()

    def put_headers(self, stream: int, block: bytes, flags: int = 0) -> None:
        """Add a block of headers. The first one says that we keep no table, however small the peer's becomes."""
        if not self._told_size:
            self._told_size = True
            block = _NO_TABLE + block
        if len(block) <= self.settings.frame_bytes:
            self.put(FRAME.pack(len(block) << 8 | HEADERS, flags | END_HEADERS, stream) + block)
        else:
            self.put(long_headers(stream, block, self.settings.frame_bytes, flags))

    def take(self) -> bytes:
        """Everything that was put, once."""
        pieces = self._pieces
        self.is_awake = False
        if not pieces:
            return b""
        self._pieces = []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def forget(self, stream: Stream, *, was_reset: bool) -> None:
        """The stream is over for both sides."""
        self._forget(stream, was_reset)

    def flush(self) -> None:
        """The window of the connection has grown: each stream that waits gets its turn, and then goes to the end."""
        for stream in list(self.waiting.values()):
            if self.window_bytes <= 0:
                return
            stream.flush()
            if stream.id in self.waiting:
                self.waiting[stream.id] = self.waiting.pop(stream.id)


def _nobody() -> None:
    """Nobody waits for output: it is taken after each read."""

"""One stream of a connection: what it may still receive, and what it may send or has to keep back."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

from bayplan.gateway.http2 import codes, frames
from bayplan.gateway.http2.codes import END_STREAM
from bayplan.gateway.http2.frames import FRAME

if TYPE_CHECKING:
    from bayplan.gateway.http2.outbox import Outbox


class StreamHandler(Protocol):
    """What is done with a stream. After `lost` it hears nothing more, and what it sends goes nowhere."""

    def data(self, data: bytes) -> None:
        """A piece of the body."""

    def end(self) -> None:
        """The peer has sent everything."""

    def lost(self) -> None:
        """The peer has reset the stream, or the connection is gone."""


class _Nobody:
    """Handles a stream that is over: nothing is heard of it any more."""

    def data(self, data: bytes) -> None: ...

    def end(self) -> None: ...

    def lost(self) -> None: ...


_NOBODY: Final = _Nobody()


class Stream:
    """The server's end. Data beyond the peer's windows waits here until they open.

    A handler and its stream know each other only while the stream is open: what a call held is then freed at its end,
    not by the garbage collector.
    """

    __slots__ = (
        "_block",
        "_outbox",
        "_queue",
        "handler",
        "id",
        "inbound_bytes",
        "is_answered",
        "is_closed",
        "is_remote_closed",
        "left_bytes",
        "window_bytes",
    )

    def __init__(self, id: int, outbox: Outbox, inbound_bytes: int, left_bytes: int | None) -> None:  # noqa: A002
        self.id = id
        self.handler: StreamHandler = _NOBODY
        self.inbound_bytes = inbound_bytes  # that the peer may send before it is told that it may send more
        self.left_bytes = left_bytes  # of the content length; None where the peer told none
        self.window_bytes = outbox.settings.window_bytes
        self.is_remote_closed = False
        self.is_closed = False  # for us: nothing can be sent any more
        self.is_answered = False
        self._outbox = outbox
        self._queue: deque[bytes] | None = None
        self._block: bytes | None = None  # the trailers, while data waits before them

    def send_headers(self, block: bytes) -> None:
        """The head of the answer."""
        if not self.is_closed:
            self.is_answered = True
            self._outbox.put_headers(self.id, block)

    def send_data(self, data: bytes) -> None:
        """Part of the body; what the windows do not allow yet is kept."""
        outbox, size = self._outbox, len(data)
        if self.is_closed:
            return
        if (
            self._queue is None
            and size <= self.window_bytes
            and size <= outbox.window_bytes
            and size <= outbox.settings.frame_bytes
        ):
            self.window_bytes -= size
            outbox.window_bytes -= size
            outbox.put(FRAME.pack(size << 8, 0, self.id) + data)
            return
        if self._queue is None:
            self._queue = deque()
            outbox.waiting[self.id] = self
        self._queue.append(data)
        self.flush()

    def end(self, block: bytes) -> None:
        """Close our side with trailers, once all data is sent."""
        if self.is_closed:
            return
        if self._queue is None:
            self._close(block)
        else:
            self._block = block

    def reset(self, reason: int) -> None:
        """Break the stream off; what waits is thrown away."""
        if not self.is_closed:
            self.drop()
            self._outbox.put(frames.reset(self.id, reason))
            self._outbox.forget(self, was_reset=True)

    def lose(self) -> None:
        """The peer broke it off, or is gone."""
        handler = self.handler
        self.drop()
        handler.lost()

    def drop(self) -> None:
        """Send nothing any more, and hear nothing."""
        self.is_closed = True
        self.handler = _NOBODY
        self._queue = None
        self._outbox.waiting.pop(self.id, None)

    def flush(self) -> None:
        """Send what the windows allow now."""
        outbox, queue = self._outbox, self._queue
        while queue:
            data = queue[0]
            size = min(len(data), self.window_bytes, outbox.window_bytes, outbox.settings.frame_bytes)
            if size <= 0 and data:
                return
            self.window_bytes -= size
            outbox.window_bytes -= size
            outbox.put(frames.frame(codes.DATA, 0, self.id, data[:size]))
            if size == len(data):
                queue.popleft()
            else:
                queue[0] = data[size:]
        if queue is not None:
            self._queue = None
            outbox.waiting.pop(self.id, None)
            if self._block is not None:
                self._close(self._block)

    def _close(self, block: bytes) -> None:
        """Trailers; a peer that still sends is told that nobody listens."""
        outbox = self._outbox
        self.is_closed = True
        self.handler = _NOBODY
        outbox.put_headers(self.id, block, END_STREAM)
        if not self.is_remote_closed:
            outbox.put(frames.reset(self.id, codes.Reason.NO_ERROR))
        outbox.forget(self, was_reset=not self.is_remote_closed)

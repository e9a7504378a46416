"""One connection to an engine: a request goes out, and its answer is followed to its end without being parsed."""

from __future__ import annotations

from asyncio import Protocol
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from bayplan.gateway.relay.messages.chunks import GOES_ON, ChunkError, Chunks
from bayplan.gateway.relay.messages.response_head import (
    CHUNKED,
    UNTIL_CLOSE,
    HeadError,
    ResponseHead,
    read_response_head,
)

if TYPE_CHECKING:
    from asyncio import BaseTransport, Transport

    from bayplan.gateway.relay.engine_pool import EnginePool
    from bayplan.gateway.relay.receiver import Receiver

_LARGE_BYTES: Final = 32 * 1024
"""From this size on two writes cost less than a copy."""
_HEAD_END: Final = b"\r\n\r\n"
_REFUSAL: Final = 400
"""Answers with a status from here on may be declined."""


class Fault(StrEnum):
    """How an engine failed a request."""

    CONNECT = "connect"
    CONNECT_TIMEOUT = "connect-timeout"
    RESET = "reset"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    STATUS = "status"
    NO_FILES = "no-files"
    """Not the engine's: this process has no file left for another connection."""


class EngineConnection(Protocol):
    """HTTP/1.1 over one transport, one request at a time. `is_reused`: it has carried a request before this one."""

    __slots__ = (
        "_begun", "_chunks", "_has_eof", "_in_body", "_keeps_alive", "_left", "_pool", "_receiver", "_transport",
        "address", "is_held", "is_reused", "silent_s",
    )  # fmt: skip

    def __init__(self, pool: EnginePool, address: str) -> None:
        self.address = address
        self.is_reused = False
        self.is_held = False
        """Nothing is read because the client is slow, or because another engine is being looked for."""
        self.silent_s = 0
        """Sweeps since something was heard of the engine, or since the connection became unused."""
        self._pool = pool
        self._receiver: Receiver | None = None
        self._begun = b""
        self._in_body = False
        self._left = 0
        self._chunks: Chunks | None = None
        self._keeps_alive = True
        self._has_eof = False

    def send(self, receiver: Receiver, head: bytes, body: bytes) -> None:
        """Send a request, whose answer `receiver` gets."""
        self._receiver = receiver
        self._in_body = False
        self.silent_s = 0
        if len(body) < _LARGE_BYTES:
            self._transport.write(head + body)
        else:
            self._transport.writelines((head, body))

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a request."""
        return self._receiver is None

    @property
    def has_begun(self) -> bool:
        """Whether the engine has sent a whole head."""
        return self._in_body

    @property
    def is_waiting(self) -> bool:
        """Whether a request was sent and nothing of its answer has come."""
        return self._receiver is not None and not self._in_body and not self.is_held

    @property
    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def hold(self) -> None:
        """Read nothing for now."""
        if not self.is_held and not self._transport.is_closing():
            self.is_held = True
            self._transport.pause_reading()

    def go_on(self) -> None:
        """Read again."""
        self.silent_s = 0
        if self.is_held and not self._transport.is_closing():
            self.is_held = False
            self._transport.resume_reading()

    def drop(self) -> None:
        """Break the connection off: the engine sees that nobody waits for its answer."""
        self._receiver = None
        self._transport.abort()

    # asyncio calls these

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        self._pool.connections.add(self)

    def eof_received(self) -> None:
        self._has_eof = True

    def connection_lost(self, exc: Exception | None) -> None:
        self._pool.lost(self)
        receiver, self._receiver = self._receiver, None
        if receiver is None:
            return
        if self._in_body and self._left == UNTIL_CLOSE and self._has_eof and exc is None:
            receiver.completed()
        else:
            receiver.broken(self, Fault.RESET)

    def data_received(self, data: bytes) -> None:
        self.silent_s = 0
        if self._receiver is None:
            self._transport.abort()  # nobody asked for anything
        elif self._in_body:
            self._body(self._receiver, data)
        else:
            self._head(self._receiver, data)

    # the answer

    def _head(self, receiver: Receiver, data: bytes) -> None:
        if self._begun:
            data = self._begun + data
        while True:
            end = data.find(_HEAD_END)
            if end < 0:
                self._begun = data
                if len(data) > self._pool.response_head_bytes:
                    self._fail(receiver, Fault.MALFORMED)
                return
            try:
                head = read_response_head(data[:end], is_head_request=receiver.is_head)
            except HeadError:
                self._fail(receiver, Fault.MALFORMED)
                return
            data = data[end + len(_HEAD_END) :]
            if head.status >= 200:
                break
            if head.status == 101:  # another protocol, which nobody asked for
                self._fail(receiver, Fault.MALFORMED)
                return
        self._begun = b""
        if head.length == len(data) > 0 and head.keeps_alive and head.status < _REFUSAL:
            self._whole(receiver, head, data)
        elif head.status < _REFUSAL or not receiver.declined(self, head, data):
            self.open(head, data)

    def _whole(self, receiver: Receiver, head: ResponseHead, body: bytes) -> None:
        """The answer has come in one piece, as short ones do: the connection serves again."""
        self._release()
        receiver.whole(head, body)

    def open(self, head: ResponseHead, rest: bytes) -> None:
        """Pass on an answer whose head has come, with what came of its body."""
        receiver = self._receiver
        if receiver is None:
            return
        self._in_body = True
        self._left = head.length
        self._keeps_alive = head.keeps_alive and head.length != UNTIL_CLOSE
        receiver.opened(head)
        self._chunks = Chunks(collects=receiver.wants_data) if head.length == CHUNKED else None
        if not head.length:
            receiver.forward(b"")
            self._end(receiver, has_more=bool(rest))
        elif rest:
            self._body(receiver, rest)
        else:
            receiver.forward(b"")

    def _body(self, receiver: Receiver, data: bytes) -> None:
        size = len(data)
        left = self._left
        if left > 0:
            end = left if size >= left else GOES_ON
            self._left = left - size
        elif left == CHUNKED:
            chunks = self._chunks
            assert chunks is not None  # noqa: S101 (made with the head)
            try:
                end = chunks.scan(data)
            except ChunkError:
                self._fail(receiver, Fault.MALFORMED)
                return
            if chunks.spans is not None:
                receiver.forward(b"".join([data[begin:stop] for begin, stop in chunks.spans]))
                if end != GOES_ON:
                    self._end(receiver, has_more=end < size)
                return
        else:
            end = GOES_ON
        if end == GOES_ON:
            receiver.forward(data)
        else:
            receiver.forward(data if end == size else data[:end])
            self._end(receiver, has_more=end < size)

    def _end(self, receiver: Receiver, *, has_more: bool) -> None:
        """The answer is complete; the connection serves again unless something is left on it."""
        if self._receiver is None:
            return  # the client went away while its last bytes were written
        if self._keeps_alive and not has_more:
            self._release()
        else:
            self._receiver = None
            self._transport.abort()
        receiver.completed()

    def _release(self) -> None:
        """Serve again, unless the request was answered before all of it was sent."""
        self._receiver = None
        transport = self._transport
        if transport.is_closing() or transport.get_write_buffer_size():
            transport.abort()
        else:
            self.is_reused = True
            self._pool.put(self)

    def _fail(self, receiver: Receiver, fault: Fault) -> None:
        self.drop()
        receiver.broken(self, fault)

    def give_up(self) -> None:
        """Wait no longer for the answer."""
        if self._receiver is not None:
            self._fail(self._receiver, Fault.TIMEOUT)

    def sweep(self, first_byte_s: float, idle_s: float, pool_s: float) -> None:
        """Give up on an engine that is silent for too long; called once a second."""
        self.silent_s += 1
        receiver = self._receiver
        if receiver is None:
            if self.silent_s > pool_s:
                self._transport.abort()
        elif not self.is_held and self.silent_s > (idle_s if self._in_body else first_byte_s):
            self.give_up()

"""One connection of a client: requests are read under limits and answered one after the other.

No request sets a timer: the relay looks at all connections once a second.
"""

from __future__ import annotations

import socket
import struct
from asyncio import Protocol
from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, cast

import httptools

from bayplan.gateway.relay.messages.refusals import CONTINUE, RefusalError, refusal_body, refusal_headers, whole_answer
from bayplan.gateway.relay.messages.request import Request

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, BaseTransport, Transport

    from bayplan.gateway.relay.service import Answering, Service

_BODY_SLACK: Final = 1024 * 1024  # sizes and extensions of chunks that a body may have beside twice its limit
_SMALL_BODY: Final = 64 * 1024  # bodies up to this size always have room
_MOST_PIECES: Final = 4_096
_LEAST_PIECE: Final = 64
"""Mean bytes of a body's pieces once there are many: smaller ones cost more than they carry."""
_IGNORED_UPGRADES: Final = (b"h2c",)
"""Offers that clients make with every request and do without."""
_RESET: Final = struct.pack("ii", 1, 0)
"""As SO_LINGER: a closed connection is reset."""
_READ_ONCE: Final = (b"upgrade", b"expect")


class Phase(Enum):
    """What happens on a connection."""

    IDLE = auto()
    READING = auto()
    """A request has begun and is not complete."""
    BUSY = auto()
    """A request is being answered."""
    CLOSING = auto()
    """Nothing more is read: the client was refused, or its last answer is on its way."""


_IDLE, _BUSY = Phase.IDLE, Phase.BUSY  # looked up with every request


class ClientConnection(Protocol):
    """HTTP/1.x over one transport. `answering` is the request that is being answered, if it can be ended early."""

    __slots__ = (
        "_ahead", "_ahead_bytes", "_body", "_body_bytes", "_has_head", "_head_bytes", "_headers", "_is_between",
        "_is_paused", "_known", "_loop", "_message_bytes", "_most_head_bytes", "_most_headers", "_parser", "_pieces",
        "_refusal", "_requests", "_service", "_since_s", "_stalled_bytes", "_stalled_s", "_target", "_wants_continue",
        "answering", "forwarded", "phase", "transport",
    )  # fmt: skip

    def __init__(self, service: Service, loop: AbstractEventLoop) -> None:
        self.answering: Answering | None = None
        self.phase = Phase.IDLE
        self.forwarded = b""
        """Header lines that tell an engine where requests of this connection come from."""
        self._service = service
        self._loop = loop
        self._most_head_bytes, self._most_headers = service.limits.head_bytes, service.limits.headers
        self._parser = httptools.HttpRequestParser(self)
        self._is_between = True  # the parser has read no part of another request
        self._known = service.known
        self._requests: deque[tuple[Request, bytes]] = deque()
        self._ahead: list[bytes] = []
        self._ahead_bytes = 0
        self._is_paused = False
        self._refusal: RefusalError | None = None
        self._since_s = loop.time()
        self._stalled_s: float | None = None
        self._stalled_bytes = 0
        self._wants_continue = False
        self._reset()

    def _reset(self) -> None:
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._head_bytes = 0
        self._message_bytes = 0
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._pieces = 0
        self._has_head = False

    # asyncio calls these

    def connection_made(self, transport: BaseTransport) -> None:
        self.transport = cast("Transport", transport)
        service = self._service
        self.transport.set_write_buffer_limits(high=service.limits.write_bytes)
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else "unknown"
        scheme = "https" if transport.get_extra_info("sslcontext") else "http"
        self.forwarded = f"x-forwarded-for: {address}\r\nx-forwarded-proto: {scheme}\r\nvia: 1.1 bayplan\r\n".encode()
        if not service.joined(self):
            self.refuse(RefusalError(503, f"the relay has {service.limits.connections:,} connections; try again later"))
            self.transport.close()  # at once: lingering would keep its file open

    @property
    def is_full(self) -> bool:
        """Whether the client reads more slowly than it is sent to."""
        return self._stalled_s is not None

    @property
    def is_draining(self) -> bool:
        """Whether this answer is to be the last one of the connection."""
        return self._service.is_draining

    def connection_lost(self, exc: Exception | None) -> None:
        self.phase = Phase.CLOSING
        self._service.left(self)
        if self.answering is not None:
            self.answering.cancel()

    def data_received(self, data: bytes) -> None:
        if self.phase is _IDLE and self._is_between:
            known = self._known.find(data)
            if known is not None:
                self.phase = _BUSY
                self._service.begin(known[0], known[1], self)
                return
        if self.phase is _BUSY:
            self._keep(data)
        elif self._refusal is None and self.phase is not Phase.CLOSING:
            self._feed(data)

    def pause_writing(self) -> None:
        self._stalled_s = self._loop.time()
        self._stalled_bytes = self.transport.get_write_buffer_size()
        if self.answering is not None:
            self.answering.pause()

    def resume_writing(self) -> None:
        self._stalled_s = None
        if self.answering is not None:
            self.answering.resume()

    # the parser calls these

    def on_message_begin(self) -> None:
        self._is_between = False
        self._reset()

    def on_url(self, url: bytes) -> None:
        self._target = self._target + url if self._target else url
        if len(self._target) > self._service.limits.target_bytes:
            self._stop(RefusalError(414, f"the URL is longer than {self._service.limits.target_bytes:,} bytes"))

    def on_header(self, name: bytes, value: bytes) -> None:
        headers = self._headers
        self._head_bytes = size = self._head_bytes + len(name) + len(value)
        if not self._has_head:  # trailers are read and dropped, under the limit of heads
            headers.append((name, value))
        if size > self._most_head_bytes or len(headers) > self._most_headers:
            self._stop(_large_head(self._most_head_bytes, self._most_headers))

    def on_headers_complete(self) -> None:
        self._has_head = True
        length, coding, expectation = 0, b"", b""
        for name, value in self._headers:
            size = len(name)
            if size == 14 and name.lower() == b"content-length":
                length = int(value)
            elif size == 17 and name.lower() == b"transfer-encoding":
                coding = value
            elif size == 6 and name.lower() == b"expect":
                expectation = value.lower()
        if coding and (coding.strip().lower() != b"chunked" or self._parser.get_http_version() != "1.1"):
            self._stop(RefusalError(501, "the only transfer coding is chunked, in HTTP/1.1"))
        self._check_body(length)
        if expectation:
            self._expect(expectation, has_body=bool(length or coding))

    def on_body(self, body: bytes) -> None:
        self._body.append(body)
        self._body_bytes += len(body)
        self._check_body(self._body_bytes)
        if len(self._body) > _MOST_PIECES:
            self._pieces += len(self._body)
            if self._body_bytes < _LEAST_PIECE * self._pieces:
                self._stop(RefusalError(400, f"the body comes in chunks of less than {_LEAST_PIECE} bytes"))
            self._body = [b"".join(self._body)]  # pieces take more memory than the bytes in them

    def on_message_complete(self) -> None:
        parser = self._parser
        version = parser.get_http_version()
        if version not in ("1.1", "1.0"):
            self._stop(RefusalError(505, f"HTTP/{version} is not spoken here; use HTTP/1.1"))
        is_old = version == "1.0"
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        keeps_alive = not is_old and parser.should_keep_alive()
        request = Request(parser.get_method(), self._target, self._headers, keeps_alive=keeps_alive, is_old=is_old)
        self._requests.append((request, body))
        self._is_between = True
        self._wants_continue = False
        self._reset()

    # reading

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            again = self._upgraded(data[upgrade.args[0] :])
            if again:
                self._feed(again)
                return
        except httptools.HttpParserError as problem:
            if self._refusal is None:
                self._refusal = RefusalError(400, f"this is not HTTP/1.1: {problem}")
        if self._requests:
            self._next()
        elif self._refusal is not None:
            self.refuse(self._refusal)
        else:
            self._incomplete(len(data))

    def _incomplete(self, size: int) -> None:
        """More of the request is to come; what the parser keeps back, such as half a header, counts too."""
        limits = self._service.limits
        self._message_bytes += size
        if self.phase is not Phase.READING:
            self.phase = Phase.READING
            self._since_s = self._loop.time()
        if not self._has_head and self._message_bytes > limits.head_bytes + limits.target_bytes:
            self.refuse(_large_head(limits.head_bytes, limits.headers))
        elif self._message_bytes > 2 * limits.body_bytes + limits.head_bytes + _BODY_SLACK:
            self.refuse(_large_body(limits.body_bytes))

    def _upgraded(self, rest: bytes) -> bytes:
        """The parser stops behind the head of a request that wants another protocol; what to read instead, if any."""
        last, _ = self._requests.pop()
        wanted = next((value for name, value in last.headers if name.lower() == b"upgrade"), b"")
        if wanted.lower() not in _IGNORED_UPGRADES:
            shown = wanted.decode("latin-1")[:80] or last.method.decode()
            self._refusal = RefusalError(501, f"{shown} is not spoken here; use HTTP/1.1 without Upgrade")
            return b""
        kept = [b"%b: %b\r\n" % pair for pair in last.headers if pair[0].lower() not in _READ_ONCE]
        self._parser = httptools.HttpRequestParser(self)
        return b"%b %b HTTP/1.1\r\n%b\r\n%b" % (last.method, last.target, b"".join(kept), rest)

    def _keep(self, data: bytes) -> None:
        """Bytes of a request that was sent before the one before it is answered."""
        self._ahead.append(data)
        self._ahead_bytes += len(data)
        if self._ahead_bytes > self._service.limits.ahead_bytes and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()

    def _expect(self, expectation: bytes, *, has_body: bool) -> None:
        if expectation != b"100-continue":
            self._stop(RefusalError(417, "the only expectation that is met is 100-continue"))
        if not has_body or self._parser.get_http_version() != "1.1":
            return
        if self._requests:
            self._wants_continue = True  # an answer comes before it
        else:
            self.transport.write(CONTINUE)

    def _check_body(self, size: int) -> None:
        if size > self._service.limits.body_bytes:
            self._stop(_large_body(self._service.limits.body_bytes))
        if size > _SMALL_BODY and not self._service.has_room(size):
            self._stop(RefusalError(503, "the bodies of other requests fill the memory; try again later"))

    def _stop(self, refusal: RefusalError) -> None:
        """Give up reading: the parser passes the exception on."""
        self._refusal = refusal
        raise refusal

    # answering

    def _next(self) -> None:
        self.phase = Phase.BUSY
        request, body = self._requests.popleft()
        self._service.begin(request, body, self)

    def finish(self, *, keeps_alive: bool) -> None:
        """The answer is complete: read on, or close."""
        self.answering = None
        if self.phase is Phase.CLOSING:
            return
        if not keeps_alive or self._service.is_draining:
            self.close()
        elif self._requests or self._ahead or self._wants_continue or self._refusal is not None:
            self._loop.call_soon(self._go_on)
        else:
            self.phase = Phase.IDLE
            self._since_s = self._loop.time()

    def _go_on(self) -> None:
        """Turn to what came while the last request was answered."""
        if self.phase is not Phase.BUSY or self.answering is not None:
            return
        if self._requests:
            self._next()
            return
        self.phase = Phase.IDLE
        self._since_s = self._loop.time()
        if self._refusal is not None:
            self.refuse(self._refusal)
            return
        if self._wants_continue:
            self._wants_continue = False
            self.transport.write(CONTINUE)
        ahead, self._ahead, self._ahead_bytes = b"".join(self._ahead), [], 0
        if self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()
        if ahead:
            self._feed(ahead)

    def answer(self, data: bytes, *, keeps_alive: bool) -> None:
        """Send a whole answer of the relay itself."""
        if not self.transport.is_closing():
            self.transport.write(data)
        self.finish(keeps_alive=keeps_alive)

    def refuse(self, refusal: RefusalError) -> None:
        """Refuse a request that could not be read, and close: what follows on the connection means nothing."""
        self._refusal = refusal
        self.phase = Phase.CLOSING
        self._since_s = self._loop.time()
        self._service.refused(refusal.status)
        if self.transport.is_closing():
            return
        body = refusal_body(refusal)
        self.transport.write(whole_answer(refusal.status, body, keeps_alive=False, more=refusal_headers(refusal)))
        if self.transport.can_write_eof():
            self.transport.write_eof()  # a reset would reach the client before it has read the answer
        else:
            self.transport.close()

    def close(self) -> None:
        """Send what is left, then close."""
        self.phase = Phase.CLOSING
        self._since_s = self._loop.time()
        self.transport.close()

    def cut(self) -> None:
        """Break the connection off at once, with a reset: the client cannot take it for the end of an answer."""
        self.phase = Phase.CLOSING
        own = self.transport.get_extra_info("socket")
        if own is not None:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()

    def sweep(self, now_s: float) -> None:
        """Give up on a client that is too slow; called once a second."""
        patience = self._service.patience
        if self._stalled_s is not None:
            self._sweep_stalled(now_s, patience.stall_s)
        elif self.phase is Phase.IDLE:
            if now_s - self._since_s > patience.keep_alive_s:
                self.close()
        elif self.phase is Phase.READING:
            longest_s = patience.body_s if self._has_head else patience.head_s
            if now_s - self._since_s > longest_s:
                self.refuse(RefusalError(408, f"the request was not complete after {longest_s:g} s; send it faster"))
        elif self.phase is Phase.CLOSING and now_s - self._since_s > patience.linger_s:
            self._stalled_bytes = self.transport.get_write_buffer_size()
            if self._stalled_bytes:
                self._stalled_s = now_s  # closed, but not everything was read
            else:
                self.transport.abort()

    def _sweep_stalled(self, now_s: float, stall_s: float) -> None:
        waiting = self.transport.get_write_buffer_size()
        if waiting < self._stalled_bytes:
            self._stalled_bytes, self._stalled_s = waiting, now_s
        elif self._stalled_s is not None and now_s - self._stalled_s > stall_s:
            self._service.cut_slow_client()
            self.cut()


def _large_head(most_bytes: int, most: int) -> RefusalError:
    return RefusalError(431, f"the head has more than {most_bytes:,} bytes or {most} headers")


def _large_body(most_bytes: int) -> RefusalError:
    return RefusalError(413, f"the body has more than {most_bytes:,} bytes")

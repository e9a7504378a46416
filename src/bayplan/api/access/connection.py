"""One connection of a client: uvicorn's, with limits on how much and how slowly it may send, and how slowly read.

No request sets a timer: the server looks at all connections once a second, which costs requests next to nothing.
"""

from __future__ import annotations

import http
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

import httptools
import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    import asyncio

    from uvicorn import Config
    from uvicorn._types import ASGI3Application
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
    from uvicorn.server import ServerState

    from bayplan.api.access.limits import Limits

_DISCARDED = 8
"""Times the largest body that is read and dropped after a refusal, so that the client gets to see the answer."""


class Phase(Enum):
    """What the client has to send next."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()


@dataclass(slots=True)
class Wait:
    """Since when a client is waited for, and what came of its headers."""

    phase: Phase = Phase.HEAD
    since_s: float = 0.0
    head_bytes: int = 0
    chunk_bytes: int = 0
    begun_here: bool = False  # the head began inside the bytes that were read last
    discarded_bytes: int = 0
    unread_until_s: float = 0.0  # 0 while the client reads what it is sent


class Connection(HttpToolsProtocol):
    """HTTP/1.x over one transport."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        limits: Limits,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(config, server_state, app_state, loop)
        self._limits = limits
        self._wait = Wait(since_s=loop.time())
        self._running: RequestResponseCycle | None = None
        self._refusal: Refusal | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            message = f"the server has {self._limits.connections:,} connections; try again later"
            self._refuse(Refusal(503, message, headers={"Retry-After": "1"}))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is answered, which is not the last one where requests were pipelined."""
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        wait = self._wait
        wait.chunk_bytes = len(data)
        super().data_received(data)
        if wait.phase is Phase.BODY:
            return
        if wait.phase is Phase.IDLE and self._refusal is None and self.timeout_keep_alive_task is None:
            self._blank_lines()
        elif wait.phase is Phase.HEAD:
            wait.head_bytes = 0 if wait.begun_here else wait.head_bytes + len(data)
            wait.begun_here = False
            if wait.head_bytes > self._limits.head_bytes:
                self._refuse(_large_head(self._limits.head_bytes))

    def _blank_lines(self) -> None:
        """Line ends before a request begin none, and yet they stopped the timer of an idle connection."""
        if self._running is None or self._running.response_complete:
            self._enter(Phase.HEAD)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._wait.phase is not Phase.HEAD:
            self._enter(Phase.HEAD)
        self._wait.begun_here = True

    def on_headers_complete(self) -> None:
        self._enter(Phase.BODY)
        self._refusal = self._head_refusal()
        if self._refusal is not None:
            raise self._refusal  # the parser stops, and `send_400_response` answers
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self.cycle.response_complete:
            self._wait.discarded_bytes += len(body)
            if self._wait.discarded_bytes > _DISCARDED * self._limits.body_bytes:
                self.transport.close()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._wait.phase = Phase.IDLE

    def _enter(self, phase: Phase) -> None:
        wait = self._wait
        wait.phase, wait.since_s, wait.head_bytes, wait.discarded_bytes = phase, self.loop.time(), 0, 0

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _head_refusal(self) -> Refusal | None:
        limits = self._limits
        if len(self.url) > limits.url_bytes:
            return Refusal(414, f"the URL is longer than {limits.url_bytes:,} bytes")
        if len(self.headers) > limits.headers:
            return Refusal(431, f"the request has more than {limits.headers} headers")
        if self._wait.chunk_bytes > limits.head_bytes and self._head_size() > limits.head_bytes:
            return _large_head(limits.head_bytes)
        if len(self.pipeline) >= limits.pipelined:
            return Refusal(429, f"more than {limits.pipelined} requests wait on this connection; read the answers")
        return None if self.url.startswith(b"/") else self._absolute_target()

    def _head_size(self) -> int:
        return sum(len(name) + len(value) for name, value in self.headers)

    def _absolute_target(self) -> Refusal | None:
        """`GET http://HOST/PATH`, as proxies are asked: its host counts instead of the header's (RFC 9112, 3.2.2)."""
        try:
            url = httptools.parse_url(self.url)
        except httptools.HttpParserError:
            url = None
        if url is None or not url.host or not url.path or url.userinfo:
            return Refusal(400, "the target of the request is no path; send GET /PATH")
        host = b"[%b]" % url.host if b":" in url.host else url.host
        self.headers[:] = [(b"host", host), *(pair for pair in self.headers if pair[0] != b"host")]
        return None

    def send_400_response(self, msg: str) -> None:
        """What uvicorn calls for all that is no HTTP, and for what a callback refused."""
        self._refuse(self._refusal or Refusal(400, f"{msg.rstrip('.')}: it is no HTTP/1.1"))

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered as it is, and nothing after it is read."""
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def _refuse(self, refusal: Refusal) -> None:
        """Answer and close; where an answer is being sent, a second one inside it would be read as a part of it."""
        self._refusal = refusal
        if self._running is None or self._running.response_complete or not self._running.response_started:
            self.transport.write(_answer(refusal))
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        waiting = self.transport.get_write_buffer_size()
        self._wait.unread_until_s = self.loop.time() + self._limits.send_s + waiting / self._limits.slowest_bytes

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait.unread_until_s = 0.0

    def sweep(self, now_s: float) -> None:
        """Cut the connection off where its client is too slow; called once a second."""
        wait = self._wait
        if wait.unread_until_s:
            if now_s > wait.unread_until_s:
                self.transport.abort()
        elif self.transport.is_closing():
            wait.unread_until_s = now_s + self._limits.send_s  # closed, but not everything was read
        elif self.flow.read_paused:
            wait.since_s = now_s  # the client cannot send, because nothing is read
        elif wait.phase is Phase.HEAD and now_s - wait.since_s > self._limits.head_s:
            self._refuse(Refusal(408, f"the headers did not come within {self._limits.head_s:g} s"))
        elif wait.phase is Phase.BODY and now_s - wait.since_s > self._limits.body_s:
            self._refuse(Refusal(408, f"the body did not come within {self._limits.body_s:g} s; send it faster"))


def _large_head(most_bytes: int) -> Refusal:
    return Refusal(431, f"the headers are larger than {most_bytes:,} bytes")


def _answer(refusal: Refusal) -> bytes:
    body = orjson.dumps(refusal.document())
    more = "".join(f"{name}: {value}\r\n" for name, value in refusal.headers.items())
    head = (
        f"HTTP/1.1 {refusal.code} {http.HTTPStatus(refusal.code).phrase}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n{more}connection: close\r\n\r\n"
    )
    return head.encode() + body

"""One connection of a client: reading requests under limits, one answer after the other."""

from __future__ import annotations

from asyncio import Protocol
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import httptools
import orjson

from bayplan.sim.engine.http.messages import CONTINUE, JSON, Request, head
from bayplan.sim.engine.openai.refusals import RefusalError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, BaseTransport, TimerHandle, Transport
    from collections.abc import Callable

    from bayplan.sim.engine.host import Host
    from bayplan.sim.engine.http.generation import Generation
    from bayplan.sim.engine.http.routes import Routes

MOST_HEADERS: Final = 100
HEADER_BYTES: Final = 32 * 1024
URL_BYTES: Final = 8 * 1024
BODY_BYTES: Final = 8 * 1024 * 1024  # a prompt of the longest context as JSON is under 2 MiB
MESSAGE_BYTES: Final = 2 * BODY_BYTES + 1024 * 1024  # a request as it is sent: heads, chunk sizes and trailers too
_PIPELINED: Final = 4  # requests read ahead of the answer before them
_WRITE_AHEAD: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a connection waits for its client."""

    read_s: float = 30.0  # for one request, from its first byte to its last
    idle_s: float = 120.0  # between two requests
    stall_s: float = 60.0  # for a client that reads nothing
    linger_s: float = 2.0  # for a refused client to stop sending


class Connection(Protocol):
    """Reads requests and hands them to the routes; a client that goes away ends its request."""

    def __init__(self, host: Host, routes: Routes, loop: AbstractEventLoop, patience: Patience | None = None) -> None:
        self.is_full = False
        self.generation: Generation | None = None
        self.peer = ""
        self._host = host
        self._routes = routes
        self._loop = loop
        self._patience = patience or Patience()
        self._transport: Transport | None = None
        self._parser = httptools.HttpRequestParser(self)
        self._timer: TimerHandle | None = None
        self._waiting: deque[Request] = deque()
        self._is_busy = False
        self._is_paused = False
        self._refusal: RefusalError | None = None
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._header_bytes = self._header_count = 0
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._message_bytes = 0
        self._has_head = True

    # asyncio calls these

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        self._transport.set_write_buffer_limits(high=_WRITE_AHEAD)
        name = transport.get_extra_info("peername")
        self.peer = str(name[0]) if isinstance(name, tuple) else ""
        if not self._host.joined(self):
            self._refuse(RefusalError(503, "too many connections; close some"))
            self.close()  # at once: lingering would keep its file open
            return
        self._wait(self._patience.idle_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._wait(None)
        self._host.left(self)

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return  # the request is answered in HTTP/1.1, and the connection closed
        except httptools.HttpParserError:
            if self._refusal is None:
                self._refusal = RefusalError(400, "this is not HTTP/1.1")
        else:
            self._message_bytes += len(data)  # what the parser holds back, such as half a header, counts too
            if not self._has_head and self._message_bytes > URL_BYTES + HEADER_BYTES:
                self._refusal = _too_many_headers()
            elif self._message_bytes > MESSAGE_BYTES:
                self._refusal = _too_large()
        if self._refusal is not None and not self._is_busy:
            self._refuse(self._refusal)

    def pause_writing(self) -> None:
        self.is_full = True
        self._wait(self._patience.stall_s)

    def resume_writing(self) -> None:
        self.is_full = False
        self._wait(None if self._is_busy else self._patience.idle_s)
        if self.generation is not None:
            self.generation.flush()

    # the parser calls these

    def on_message_begin(self) -> None:
        self._begin()
        if not self._is_busy:
            self._wait(self._patience.read_s, self._expire)

    def on_url(self, url: bytes) -> None:
        self._url += url
        if len(self._url) > URL_BYTES:
            self._stop(RefusalError(414, f"the URL has more than {URL_BYTES} bytes"))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        self._header_count += 1
        self._headers[name.lower()] = value
        if self._header_bytes > HEADER_BYTES or self._header_count > MOST_HEADERS:
            self._stop(_too_many_headers())

    def on_headers_complete(self) -> None:
        self._has_head = True
        length = self._headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > BODY_BYTES:
            self._stop(_too_large())
        elif self._headers.get(b"expect", b"").lower() == b"100-continue" and not self._is_busy:
            self.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if self._body_bytes > BODY_BYTES:
            self._stop(_too_large())
        self._body.append(body)

    def on_message_complete(self) -> None:
        url = self._url.partition(b"?")[0]
        is_new = self._parser.get_http_version() == "1.1"
        request = Request(
            method=self._parser.get_method().decode("ascii"),
            path=url.decode("latin-1"),
            headers=self._headers,
            body=b"".join(self._body),
            keeps_alive=is_new and self._parser.should_keep_alive() and b"upgrade" not in self._headers,
            is_chunkable=is_new,
        )
        self._body = []
        self._waiting.append(request)
        if len(self._waiting) > _PIPELINED:
            self._pause(is_paused=True)
        if not self._is_busy:
            self._next()

    # answers

    def write(self, data: bytes) -> None:
        """Send bytes to the client, if it is still there."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    @property
    def is_last(self) -> bool:
        """Whether this answer is the last one, because the engine stops."""
        return self._host.is_closing

    def answer(self, request: Request, status: int, body: bytes, content_type: str = JSON, extra: str = "") -> None:
        """Send a whole answer."""
        keeps_alive = request.keeps_alive and not self.is_last
        data = b"" if request.method == "HEAD" else body
        self.write(head(status, content_type, length=len(body), keeps_alive=keeps_alive, extra=extra) + data)
        self.finish(keeps_alive=keeps_alive)

    def finish(self, *, keeps_alive: bool) -> None:
        """The answer is complete: read on, or close."""
        self.generation = None
        self._is_busy = False
        if not keeps_alive or self.is_last:
            self.close()
        elif self._waiting:
            self._loop.call_soon(self._next)
        elif self._refusal is not None:
            self._refuse(self._refusal)
        else:
            self._wait(self._patience.idle_s)

    def close(self) -> None:
        """Send what is left, then close."""
        if self._transport is not None:
            self._transport.close()

    def close_if_idle(self) -> None:
        """Close unless an answer is under way."""
        if not self._is_busy:
            self.close()

    def cut(self) -> None:
        """Break the connection off at once."""
        if self._transport is not None:
            self._transport.abort()

    def _begin(self) -> None:
        self._url = b""
        self._headers = {}
        self._header_bytes = self._header_count = 0
        self._body = []
        self._body_bytes = 0
        self._message_bytes = 0
        self._has_head = False

    def _next(self) -> None:
        if self._is_busy or not self._waiting or self._transport is None:
            return
        self._is_busy = True
        self._wait(None)
        request = self._waiting.popleft()
        if self._is_paused and not self._waiting:
            self._pause(is_paused=False)
        self._routes.handle(request, self)

    def _pause(self, *, is_paused: bool) -> None:
        if self._transport is None or self._is_paused is is_paused:
            return
        self._is_paused = is_paused
        if is_paused:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _stop(self, refusal: RefusalError) -> None:
        """Give up reading: the parser passes the exception on."""
        self._refusal = refusal
        raise refusal

    def _refuse(self, refusal: RefusalError) -> None:
        body = orjson.dumps(refusal.document())
        self._refusal = refusal
        self.write(head(refusal.status, JSON, length=len(body), keeps_alive=False) + body)
        if self._transport is not None and not self._transport.is_closing():
            # closing while the client still sends would reset the connection before it has read the answer
            self._transport.write_eof()
            self._wait(self._patience.linger_s)

    def _expire(self) -> None:
        self._refuse(RefusalError(408, f"the request was not complete after {self._patience.read_s:g} s"))

    def _wait(self, seconds: float | None, then: Callable[[], None] | None = None) -> None:
        """Break the connection off after so long, or do `then`, unless something happens before."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and self._transport is not None:
            self._timer = self._loop.call_later(seconds, then or self.cut)


def _too_many_headers() -> RefusalError:
    return RefusalError(431, f"more than {MOST_HEADERS} headers or {HEADER_BYTES} bytes of them")


def _too_large() -> RefusalError:
    return RefusalError(413, f"the body has more than {BODY_BYTES} bytes")

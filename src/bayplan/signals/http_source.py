"""One address that is asked again and again with GET: a kept connection, a time limit, a size limit, no redirects."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from bayplan.signals.http_answer import FetchProblem, HttpAnswer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one fetch: a body, or a problem and its detail; `sent_s` is when it was asked."""

    sent_s: float
    body: bytes = b""
    problem: FetchProblem | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How long and how large an answer may be."""

    timeout_s: float = 2.0
    most_bytes: int = 5_000_000


class HttpSource:
    """Fetches one path of one address; one fetch at a time, told to a callback.

    The connection is kept between fetches. One that the other side closed meanwhile is replaced without a failure. No
    task and no future is needed while the connection stays, because thousands of fetches a second may go this way.
    """

    def __init__(
        self,
        host: str,
        port: int,
        path: str,
        *,
        limits: FetchLimits | None = None,
        tls: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host, self.port, self.tls = host, port, tls
        self._clock = clock
        self._limits = limits or FetchLimits()
        shown = f"[{host}]" if ":" in host else host
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: {shown}:{port}\r\nUser-Agent: bayplan\r\n"
            "Accept: text/plain;version=0.0.4, application/json;q=0.5, */*;q=0.1\r\n\r\n"
        ).encode("latin-1", "replace")
        self._loop = asyncio.get_running_loop()
        self._connection: _Connection | None = None
        self._then: Callable[[Fetched], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._sent_s = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a fetch is under way."""
        return self._then is not None

    def fetch(self, then: Callable[[Fetched], None]) -> None:
        """Ask, and call `then` with what came of it, in any case and once, unless the source is closed before."""
        self._then = then
        self._sent_s = self._clock()
        self._timer = self._loop.call_later(self._limits.timeout_s, self._expire)
        if self._connection is None:
            self._connect()
        else:
            self._connection.ask(self._request, self._limits.most_bytes)

    def close(self) -> None:
        """Forget the fetch that is under way, and the connection."""
        self._then = None
        self._stop_timer()
        self._drop()

    def connected(self, connection: _Connection) -> None:
        """A connection is open."""
        if connection is self._connection:
            connection.ask(self._request, self._limits.most_bytes)

    def answered(self, connection: _Connection, answer: HttpAnswer) -> None:
        """An answer is whole, or is refused, or the connection ended before it was."""
        if connection is not self._connection:
            return
        if connection.is_reused and not answer.has_begun:
            self._connect()  # it was closed while nothing was asked
            return
        if not answer.is_kept:
            self._drop()
        self._finish(answer.body, answer.problem, answer.detail)

    def disconnected(self, connection: _Connection, reason: str | None) -> None:
        """A connection is gone while nothing was asked of it, or could not be made."""
        if connection is self._connection:
            self._connection = None
            if reason is not None:
                self._finish(b"", FetchProblem.UNREACHABLE, reason)

    def _connect(self) -> None:
        self._drop()
        self._connection = _Connection(self, self._loop)

    def _expire(self) -> None:
        self._timer = None
        has_begun = self._connection is not None and self._connection.has_begun
        self._drop()
        kind = "no whole answer" if has_begun else "no answer"
        self._finish(b"", FetchProblem.TIMEOUT, f"{kind} within {self._limits.timeout_s:g} s")

    def _finish(self, body: bytes, problem: FetchProblem | None, detail: str) -> None:
        then, self._then = self._then, None
        self._stop_timer()
        if then is not None:
            then(Fetched(self._sent_s, body, problem, detail))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.cut()


class _Connection(asyncio.Protocol):
    """One connection of a source, which may already have another when this one ends."""

    def __init__(self, source: HttpSource, loop: asyncio.AbstractEventLoop) -> None:
        self._source, self._loop = source, loop
        self._transport: asyncio.Transport | None = None
        self._answer: HttpAnswer | None = None
        self._asked = 0
        self._opening: asyncio.Task[None] | None = loop.create_task(self._open(), name=f"connect {source.host}")

    @property
    def is_reused(self) -> bool:
        return self._asked > 1

    @property
    def has_begun(self) -> bool:
        return self._answer is not None and self._answer.has_begun

    def ask(self, request: bytes, most_bytes: int) -> None:
        self._asked += 1
        self._answer = HttpAnswer(most_bytes)
        if self._transport is not None:
            self._transport.write(request)

    def cut(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def _open(self) -> None:
        source = self._source
        try:
            await self._loop.create_connection(lambda: self, source.host, source.port, ssl=source.tls)
        except OSError as error:
            source.disconnected(self, error.strerror or str(error) or type(error).__name__)
        finally:
            self._opening = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # of uvloop, too, which is no subclass
        self._source.connected(self)

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None:
            self.cut()  # bytes that nobody asked for
            return
        answer.feed(data)
        if answer.is_over:
            self._tell(answer)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._answer is None:
            self._source.disconnected(self, None)
            return
        self._answer.end(is_clean=error is None)
        self._tell(self._answer)

    def _tell(self, answer: HttpAnswer) -> None:
        self._answer = None
        self._source.answered(self, answer)

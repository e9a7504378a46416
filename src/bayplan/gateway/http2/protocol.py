"""A connection of HTTP/2 on asyncio: bytes from and to a transport, and a watch over peers that are silent."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from bayplan.gateway.http2 import codes, frames
from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.http2.connection import Application
    from bayplan.gateway.http2.limits import Limits

_HIGH_WATER_BYTES: Final = 1024 * 1024  # unread by the peer; then it is not read from either
_CHECK: Final = frames.frame(codes.PING, 0, 0, b"alive?  ")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a connection waits, in seconds.

    A peer that vanished without a word is asked after `silence_s` and given up after as much again: its requests must
    not count as in flight for ever.
    """

    silence_s: float = 30.0
    stall_s: float = 30.0  # for a peer that does not read what it is sent


class Http2Protocol(asyncio.Protocol):
    """One connection. `left` is called once, when it is gone."""

    def __init__(
        self,
        application: Application,
        limits: Limits,
        patience: Patience,
        left: Callable[[Http2Protocol], None],
    ) -> None:
        self.connection = Connection(application, limits, time.monotonic())
        self._patience = patience
        self._left = left
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard_s = self._stalled_s = 0.0
        self._is_stalled = False

    # asyncio calls these

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=_HIGH_WATER_BYTES)
        self._heard_s = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self.connection.outbox.wake = self._write_soon
        self._watch()
        self._write()

    def data_received(self, data: bytes) -> None:
        now = self._heard_s = time.monotonic()
        self.connection.receive(data, now)
        self._write()

    def eof_received(self) -> None:
        """A peer that says nothing more cannot be answered either: the transport closes."""

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        self.connection.lost()
        self._left(self)

    def pause_writing(self) -> None:
        self._is_stalled = True
        self._stalled_s = time.monotonic()
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._is_stalled = False
        if self._transport is not None:
            self._transport.resume_reading()

    # the server calls these

    def retire(self) -> None:
        """Serve what is there, and close when it has ended."""
        self.connection.retire()
        self._write()

    def close(self) -> None:
        """Close at once."""
        self.connection.fail(Reason.NO_ERROR, "the server stops")
        self._write()

    def _write_soon(self) -> None:
        """Output from outside of a read, such as the end of a wait: written once for all that comes in this turn."""
        self._loop.call_soon(self._write)

    def _write(self) -> None:
        transport = self._transport
        if transport is None:
            return
        output = self.connection.outbox.take()
        if output:
            transport.write(output)
        if self.connection.is_done:
            transport.close()

    def _watch(self) -> None:
        """Ask a silent peer for a sign of life; give up one that gives none, or that does not read."""
        now = time.monotonic()
        silent_s = now - self._heard_s
        if self._is_stalled and now - self._stalled_s >= self._patience.stall_s:
            self._give_up()
            return
        if not self._is_stalled and silent_s >= 2 * self._patience.silence_s:
            self._give_up()
            return
        if silent_s >= self._patience.silence_s:
            self.connection.outbox.put(_CHECK)
        self._timer = self._loop.call_later(self._patience.silence_s / 2, self._watch)

    def _give_up(self) -> None:
        if self._transport is not None:
            self._transport.abort()

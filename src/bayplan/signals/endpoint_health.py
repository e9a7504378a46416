"""Endpoints that are ready but dead, as the router sees them: not ready until a trial succeeds."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Protocol

from bayplan.routing.endpoints.ejection import Ejections

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.routing.endpoints.endpoint import Endpoint

_log = logging.getLogger("bayplan.signals")


class Probes(Protocol):
    """Hears whether endpoints can be reached."""

    def probe_failed(self, name: str) -> None: ...

    def probe_answered(self, name: str) -> None: ...


class EndpointHealth:
    """Tells `changed` whenever another set of endpoints is to be left out; it runs on the event loop.

    The data plane says what becomes of requests: `sent` when one goes to an endpoint, then `failed` (no connection, no
    answer in time, a 5xx) or `succeeded` (the head of any other answer came). The scraper says what becomes of probes.
    """

    def __init__(
        self,
        changed: Callable[[frozenset[str]], None],
        *,
        ejections: Ejections | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._changed, self._clock = changed, clock
        self._ejections = ejections or Ejections()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.out: frozenset[str] = frozenset()

    def joined(self, endpoint: Endpoint) -> None:
        """An endpoint is there."""
        self._ejections.joined(endpoint.name, endpoint.role)
        self._look()

    def left(self, name: str) -> None:
        """An endpoint is gone."""
        self._ejections.left(name)
        self._look()

    def sent(self, name: str) -> None:
        """A request goes there."""
        if name in self._ejections.doubtful and self._ejections.sent(name, self._clock()):
            self._look()

    def failed(self, name: str) -> None:
        """A request failed there."""
        if self._ejections.failed(name, self._clock()):
            _log.warning("endpoint %s is left out: its requests fail", name)
            self._look()

    def succeeded(self, name: str) -> None:
        """A request was answered there."""
        if name in self._ejections.doubtful and self._ejections.succeeded(name, self._clock()):
            _log.info("endpoint %s answers again", name)
            self._look()

    def probe_failed(self, name: str) -> None:
        if self._ejections.probe_failed(name, self._clock()):
            _log.warning("endpoint %s is left out: it cannot be reached", name)
            self._look()

    def probe_answered(self, name: str) -> None:
        self._ejections.probe_answered(name, self._clock())
        if name in self.out:
            self._look()

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self.close()
        now = self._clock()
        out = self._ejections.out(now)
        following = self._ejections.next_change_at(now)
        if following is not None:
            self._timer = self._loop.call_later(max(0.0, following - now) + 0.001, self._look)
        if out != self.out:
            self.out = out
            self._changed(out)

"""A second source of every endpoint, asked at fixed intervals: its models, its GPUs."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from bayplan.signals.http_source import HttpSource
from bayplan.signals.polling import Polling

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.signals.http_source import Fetched, FetchLimits

_MOST_WAIT_S = 60.0  # after failures in a row


class SideSource:
    """Calls `read` with every body. A source that fails is asked less often; it is never needed to route a request."""

    def __init__(
        self,
        read: Callable[[Endpoint, bytes], None],
        *,
        path: str,
        interval_s: float,
        port: int | None = None,
        tls: ssl.SSLContext | None = None,
        limits: FetchLimits | None = None,
    ) -> None:
        """`port` None: the endpoint's own."""
        self._read, self._path, self._interval_s = read, path, interval_s
        self._port, self._tls, self._limits = port, tls, limits
        self._chance = Random()  # noqa: S311 (spreads load, keeps no secret)
        self._followed: dict[str, tuple[Endpoint, Polling]] = {}

    def up(self, endpoint: Endpoint) -> None:
        """Ask an endpoint from now on."""
        known = self._followed.get(endpoint.name)
        if known is not None and known[0].address == endpoint.address:
            return
        self.down(endpoint.name)
        source = HttpSource(endpoint.ip, self._port or endpoint.port, self._path, limits=self._limits, tls=self._tls)
        failures = 0

        def take(fetched: Fetched) -> float:
            nonlocal failures
            if fetched.problem is not None:
                failures += 1
                return min(_MOST_WAIT_S, self._interval_s * 2.0 ** min(failures, 10))
            failures = 0
            self._read(endpoint, fetched.body)
            return self._interval_s

        polling = Polling(source, take, chance=self._chance)
        self._followed[endpoint.name] = (endpoint, polling)
        polling.start(min(1.0, self._interval_s))

    def down(self, name: str) -> None:
        """Ask an endpoint no more."""
        known = self._followed.pop(name, None)
        if known is not None:
            known[1].stop()

    def close(self) -> None:
        """Ask nobody any more."""
        for name in list(self._followed):
            self.down(name)

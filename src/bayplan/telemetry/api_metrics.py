"""Metrics of the API: how many requests there are, of which kind, and how long they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.telemetry.metrics.registry import Metrics

WATCH, LOG = "watch", "pods/log"
"""The verb and the resource whose requests may last for as long as the client likes."""


class ApiMetrics:
    """Counts requests; `resource` must be one of a known set, because what clients write would be without end."""

    def __init__(self, metrics: Metrics) -> None:
        self._requests = metrics.counter(catalogue.REQUESTS)
        self._time = metrics.histogram(catalogue.REQUEST_TIME)
        self._in_flight = metrics.gauge(catalogue.IN_FLIGHT)
        self.in_flight = 0
        """Requests that are being answered, watches among them."""
        self._metrics = metrics

    def finished(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """A request was answered."""
        shown = str(code)
        self._requests.add(verb, resource, shown)
        if verb != WATCH and resource != LOG:
            self._time.observe(seconds, verb, resource, shown)

    def ask_watches(self, open_watches: Callable[[], int]) -> None:
        """Ask at each scrape how many watches are open."""
        watches = self._metrics.gauge(catalogue.WATCHES)

        def ask() -> None:
            watches.set(open_watches())
            self._in_flight.set(max(0, self.in_flight - open_watches()))

        self._metrics.ask("watches", ask)

"""Time of plugins: measured in some decisions only, so that the others cost what they cost without it."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Watch
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from bayplan.framework.outcome import Outcome
    from bayplan.telemetry.metrics.registry import Metrics

EVERY = 64
"""One decision of this many is measured: while plugins are timed, no compiled loop stands in for them."""


class PluginMetrics(Watch):
    """An observer of schedulers; the decisions of all of them count together."""

    def __init__(self, metrics: Metrics, *, every: int = EVERY) -> None:
        self._time = metrics.histogram(catalogue.PLUGINS)
        self._faults = metrics.counter(catalogue.PLUGIN_FAULTS)
        self._clamped = metrics.counter(catalogue.CLAMPED)
        self._every, self._left = every, every
        self._began: list[float] = []  # a plugin may ask others while it is asked
        self.attentive = False

    def before(self, kind: str, plugin: str, rows: int) -> None:
        self._began.append(perf_counter())

    def after(self, kind: str, plugin: str, rows: int) -> None:
        self._time.observe(perf_counter() - self._began.pop(), kind, plugin)

    def clamped(self, plugin: str, count: int) -> None:
        self._clamped.add(plugin, by=count)

    def skipped(self, plugin: str, problem: str) -> None:
        self._faults.add(plugin)

    def decided(self, outcome: Outcome) -> None:
        self._left -= 1
        self.attentive = self._left == 0
        if self.attentive:
            self._left = self._every

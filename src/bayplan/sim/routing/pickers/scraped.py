"""Metrics of engines as a router sees them: some time after they were true."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine

KEPT: Final = 256  # changes of an engine that are remembered; within a scrape's age there are a few dozen at most


class Reading(NamedTuple):
    """What one scrape of an engine finds."""

    waiting: int
    running: int
    usage: float


class Scraped:
    """Readings of a pool. A scrape every `period_s` takes `latency_s` to arrive.

    So what a decision sees is between `latency_s` and `latency_s + period_s` old.
    """

    def __init__(self, engines: Sequence[SimulatedEngine], period_s: float, latency_s: float) -> None:
        self._engines = engines
        self._period_s = period_s
        self._latency_s = latency_s
        self._times: list[list[float]] = [[float("-inf")] for _ in engines]
        self._readings = [[Reading(0, 0, 0.0)] for _ in engines]

    def changed(self, number: int, now: float) -> None:
        """An engine's queue or memory is another since this time."""
        engine = self._engines[number]
        times, readings = self._times[number], self._readings[number]
        times.append(now)
        readings.append(Reading(len(engine.waiting), len(engine.running), engine.usage))
        if len(times) > 2 * KEPT:
            del times[:KEPT], readings[:KEPT]

    def at(self, now: float) -> float:
        """When the newest scrape that has arrived was taken."""
        return (now - self._latency_s) // self._period_s * self._period_s

    def reading(self, number: int, now: float) -> Reading:
        """What is known of an engine."""
        return self._readings[number][bisect_right(self._times[number], self.at(now)) - 1]

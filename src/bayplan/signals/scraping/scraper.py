"""Reads the metrics of every endpoint, and tells the router."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from bayplan.routing.exposition.reading import read_metrics
from bayplan.signals.http_answer import FetchProblem
from bayplan.signals.http_source import FetchLimits, HttpSource
from bayplan.signals.polling import Polling
from bayplan.signals.scraping.engine_choice import EngineChoice
from bayplan.signals.scraping.pace import Budget, ScrapeSettings, wait_after, wait_after_failures

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.exposition.engine import Engine
    from bayplan.routing.exposition.reading import Reading
    from bayplan.signals.endpoint_health import Probes
    from bayplan.signals.http_source import Fetched
    from bayplan.signals.router_port import RouterPort

_FETCH_S = 0.0001  # what a fetch costs beside the reading: writing, reading and timers, measured on a loopback
_UNANSWERED = (FetchProblem.UNREACHABLE, FetchProblem.TIMEOUT)

_log = logging.getLogger("bayplan.signals")


@dataclass(frozen=True, slots=True)
class MetricsPath:
    """Where endpoints tell their metrics; `tls` for https."""

    path: str = "/metrics"
    tls: ssl.SSLContext | None = None


@dataclass(slots=True)
class ScrapeState:
    """What is known of one endpoint's metrics, for whoever looks at the gateway."""

    metrics: EngineMetrics | None = None
    measured_s: float | None = None
    scrapes: int = 0
    failures: int = 0
    """In a row."""
    problem: str = ""
    """Why the last scrape brought nothing."""
    warnings: tuple[str, ...] = ()
    """What the last reading could not use."""


class Scraper:
    """Follows the endpoints that it is told of. It needs no task: timers and connections call it.

    A scrape that fails changes nothing but the age of what is known: the router works on, with older figures and with
    its own account of what it has sent. Probes hear whether an endpoint can be reached at all.
    """

    def __init__(
        self,
        port: RouterPort,
        *,
        settings: ScrapeSettings | None = None,
        choice: EngineChoice | None = None,
        where: MetricsPath | None = None,
        limits: FetchLimits | None = None,
        probes: Probes | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Random | None = None,
    ) -> None:
        self._port, self._probes, self._clock = port, probes, clock
        self._settings = settings or ScrapeSettings()
        self._choice = choice or EngineChoice()
        self._where, self._limits = where or MetricsPath(), limits or FetchLimits()
        self._budget = Budget(self._settings)
        self._chance = chance or Random()  # noqa: S311 (spreads load, keeps no secret)
        self._targets: dict[str, _Target] = {}
        self._attributes: dict[str, dict[str, float]] = {}
        self._adapters: dict[str, frozenset[str]] = {}

    @property
    def states(self) -> Mapping[str, ScrapeState]:
        """What is known, by endpoint."""
        return {name: target.state for name, target in self._targets.items()}

    def up(self, endpoint: Endpoint) -> None:
        """Ask an endpoint from now on, or ask it elsewhere or otherwise."""
        engine = self._choice.of(endpoint)
        known = self._targets.get(endpoint.name)
        if known is not None and (known.endpoint.address, known.engine) == (endpoint.address, engine):
            known.endpoint = endpoint
            return
        self.down(endpoint.name)
        target = self._targets[endpoint.name] = _Target(endpoint, engine)
        source = HttpSource(
            endpoint.ip, endpoint.port, self._where.path, limits=self._limits, tls=self._where.tls, clock=self._clock
        )
        target.polling = Polling(
            source, lambda fetched: self._take(target, fetched), chance=self._chance, jitter=self._settings.jitter
        )
        target.polling.start(self._settings.busy_s)

    def down(self, name: str) -> None:
        """Ask an endpoint no more."""
        target = self._targets.pop(name, None)
        if target is not None and target.polling is not None:
            target.polling.stop()
            self._budget.left(name)
        self._attributes.pop(name, None)
        self._adapters.pop(name, None)

    def close(self) -> None:
        """Ask nobody any more."""
        for name in list(self._targets):
            self.down(name)

    def add_attributes(self, name: str, attributes: Mapping[str, float]) -> None:
        """Figures of another source, which go to the router with the next reading."""
        if name in self._targets:
            self._attributes[name] = dict(attributes)

    def add_adapters(self, name: str, adapters: frozenset[str]) -> None:
        """Adapters that the engine serves, whether requests use them now or not."""
        if name in self._targets:
            self._adapters[name] = adapters

    def _take(self, target: _Target, fetched: Fetched) -> float:
        """An answer came, or none; how long to wait before the next question."""
        target.state.scrapes += 1
        name = target.endpoint.name
        if self._probes is not None:
            if fetched.problem in _UNANSWERED:
                self._probes.probe_failed(name)
            else:
                self._probes.probe_answered(name)
        if fetched.problem is not None:
            return self._budget.wait(name, self._failed(target, f"{fetched.problem}: {fetched.detail}"))
        began_s = time.perf_counter()
        reading = read_metrics(fetched.body, target.engine)
        if not reading.found:
            wait_s = self._failed(target, reading.warnings[-1])
        else:
            wait_s = self._read(target, reading, fetched.sent_s)
        self._budget.spent(time.perf_counter() - began_s + _FETCH_S)
        return self._budget.wait(name, wait_s)

    def _read(self, target: _Target, reading: Reading, measured_s: float) -> float:
        state, name = target.state, target.endpoint.name
        if state.failures >= self._settings.failures:
            _log.info("endpoint %s tells its metrics again", name)
        state.failures, state.problem = 0, ""
        if reading.warnings != state.warnings:
            state.warnings = reading.warnings
            for each in reading.warnings:
                _log.warning("metrics of endpoint %s: %s", name, each)
        state.metrics, state.measured_s = self._with_more(name, reading.metrics), measured_s
        self._port.report(name, state.metrics, measured_s)
        return wait_after(state.metrics, self._settings)

    def _with_more(self, name: str, metrics: EngineMetrics) -> EngineMetrics:
        """What other sources say belongs to the same reading."""
        attributes, adapters = self._attributes.get(name), self._adapters.get(name)
        if attributes:
            metrics = replace(metrics, attributes={**attributes, **(metrics.attributes or {})})
        return replace(metrics, lora_active=metrics.lora_active | adapters) if adapters else metrics

    def _failed(self, target: _Target, problem: str) -> float:
        state = target.state
        state.failures += 1
        state.problem = problem
        if state.failures == self._settings.failures:
            _log.warning(
                "endpoint %s (%s) tells no metrics: %s; requests go on with what is known",
                target.endpoint.name, target.endpoint.address, problem,
            )  # fmt: skip
        return wait_after_failures(state.failures, self._settings)


class _Target:
    """One endpoint that is asked."""

    __slots__ = ("endpoint", "engine", "polling", "state")

    def __init__(self, endpoint: Endpoint, engine: Engine) -> None:
        self.endpoint, self.engine = endpoint, engine
        self.polling: Polling | None = None
        self.state = ScrapeState()

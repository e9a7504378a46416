"""Metrics of a data plane: what became of requests, and what the endpoints say of themselves."""

from __future__ import annotations

from collections import Counter as Tally
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final

import bayplan
from bayplan.telemetry.metrics import routing_catalogue as names
from bayplan.telemetry.request_metrics import RequestMetrics, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.requests.routed_request import RoutedRequest
    from bayplan.telemetry.metrics.families import Gauge
    from bayplan.telemetry.metrics.registry import Metrics

_MOST_UNCOUNTED: Final = 512
"""Decisions that are counted together."""


class RoutingMetrics:
    """Counts decisions and requests; gauges are asked for at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._ended = RequestMetrics(metrics)
        self.ended = self._ended.ended
        """Told of every request that is over."""
        self._took: list[float] = []
        self._sent: list[tuple[str | None, str, str, int]] = []
        self._decision_time = metrics.histogram(names.DECISION_TIME)
        self._attempts = metrics.counter(names.ATTEMPTS)
        self._rewrites = metrics.counter(names.REWRITES)
        self._waiting_time = metrics.histogram(names.WAITING_TIME)
        self._outcomes = metrics.counter(names.FLOW_OUTCOMES)
        self._faults = metrics.counter(names.FAULTS)
        self._refusals = metrics.counter(names.REFUSALS)
        self._slow_clients = metrics.counter(names.SLOW_CLIENTS)
        metrics.gauge(names.INFO).set(1, bayplan.__version__)
        metrics.ask("decisions", self._count)

    def took(self, seconds: float) -> None:
        """How long the router thought about a request."""
        self._took.append(seconds)
        if len(self._took) >= _MOST_UNCOUNTED:
            self._count()

    def decided(self, answer: Answer) -> None:
        """The router has answered, at once or after it held the request."""
        request = answer.request
        if not answer.picked:
            self._attempts.add("failure", request.model or "", "", "", "")
            return
        endpoint = answer.picked[0]
        self._sent.append((request.model, endpoint.name, endpoint.namespace, endpoint.port))
        if request.asked_model != request.model:
            self._rewrites.add(request.asked_model or "", request.model or "")

    def _count(self) -> None:
        """Count the decisions that were kept."""
        for (model, name, namespace, port), number in Tally(self._sent).items():
            self._attempts.add("success", model or "", name, namespace, str(port), by=number)
        self._decision_time.observe_all(self._took)
        self._sent.clear()
        self._took.clear()

    def held(self, answer: Answer, seconds: float) -> None:
        """A request that had to wait was answered."""
        outcome = answer.reason or "dispatched"
        self._waiting_time.observe(seconds, outcome)
        self._outcomes.add(outcome)

    def failed(self, endpoint: str, fault: str) -> None:
        """An engine failed before the first byte of an answer was passed on."""
        self._faults.add(endpoint, fault)

    def refused(self, status: int) -> None:
        """A request was refused before it was read whole."""
        self._refusals.add(str(status))

    def cut_slow_client(self) -> None:
        self._slow_clients.add()

    # asked at each scrape

    def ask_requests(self, running: Callable[[], Iterable[RoutedRequest]], waiting: Callable[[], int]) -> None:
        """Ask which requests are being answered, and how many are held."""
        gauge, held = self.metrics.gauge(names.RUNNING), self.metrics.gauge(names.WAITING)

        def ask() -> None:
            found: dict[tuple[str, ...], float] = {}
            for request in running():
                labels = labels_of(request)
                found[labels] = found.get(labels, 0) + 1
            gauge.replace(found)
            held.set(waiting())

        self.metrics.ask("requests", ask)

    def ask_endpoints(
        self,
        endpoints: Callable[[], Iterable[Endpoint]],
        reports: Callable[[], Mapping[str, EngineMetrics]],
        inflight: Callable[[], Mapping[str, tuple[int, float]]],
    ) -> None:
        """Ask for the endpoints, what each has reported last, and what is in flight there."""
        gauge = self.metrics.gauge
        requests, tokens, queue = gauge(names.INFLIGHT_REQUESTS), gauge(names.INFLIGHT_TOKENS), gauge(names.QUEUE)

        def ask() -> None:
            found = {each.name: each for each in endpoints()}
            named = {name: (name, each.namespace) for name, each in found.items()}
            gauge(names.READY).set(sum(each.ready for each in found.values()))
            flights = {named[name]: flight for name, flight in inflight().items() if name in named}
            requests.replace({labels: flight[0] for labels, flight in flights.items()})
            tokens.replace({labels: flight[1] for labels, flight in flights.items()})
            known = {name: each for name, each in reports().items() if name in named}
            queue.replace({named[name]: each.waiting for name, each in known.items() if each.waiting is not None})
            self._spread(known.values())

        self.metrics.ask("endpoints", ask)

    def ask_relay(self, state: Callable[[], Mapping[str, int]], records: Callable[[], int]) -> None:
        """Ask for connections and bodies of all processes, and for decisions that are kept."""
        gauge = self.metrics.gauge

        def ask() -> None:
            found = state()
            gauge(names.CONNECTIONS).set(found["connections"])
            gauge(names.ENGINE_CONNECTIONS).set(found["engines_unused"], "unused")
            gauge(names.ENGINE_CONNECTIONS).set(found["engines_used"], "used")
            gauge(names.BODIES).set(found["bodies_bytes"])
            gauge(names.RECORDS).set(records())

        self.metrics.ask("relay", ask)

    def _spread(self, reports: Iterable[EngineMetrics]) -> None:
        gauge = self.metrics.gauge
        known = list(reports)
        _mean(gauge(names.MEAN_KV), gauge(names.SPREAD_KV), [each.kv_usage for each in known])
        _mean(gauge(names.MEAN_QUEUE), gauge(names.SPREAD_QUEUE), [each.waiting for each in known])
        _mean(gauge(names.MEAN_RUNNING), gauge(names.SPREAD_RUNNING), [each.running for each in known])


def _mean(mean: Gauge, spread: Gauge, values: list[float | None]) -> None:
    known = [each for each in values if each is not None]
    mean.set(fmean(known) if known else 0.0)
    spread.set(pstdev(known) if known else 0.0)

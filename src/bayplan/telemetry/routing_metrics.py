"""Metrics of a data plane: what became of requests, and what the endpoints say of themselves."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final, NamedTuple

import bayplan
from bayplan.telemetry.metrics import routing_catalogue as names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.requests.routed_request import RoutedRequest
    from bayplan.telemetry.metrics.families import Gauge
    from bayplan.telemetry.metrics.registry import Metrics

Labels = tuple[str, str, str, str]


class EndedRequest(NamedTuple):
    """What is known of a request when it is over; None where it did not come that far, or nobody said."""

    ending: str
    status: int | None
    duration_s: float
    ttft_s: float | None
    request_bytes: int
    response_bytes: int
    is_stream: bool
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


_PER_REQUEST: Final = (
    names.DURATION, names.REQUEST_SIZE, names.RESPONSE_SIZE, names.INPUT_TOKENS, names.OUTPUT_TOKENS,
    names.CACHED_TOKENS, names.NTPOT, names.TPOT,
)  # fmt: skip
_KEPT_SERIES: Final = 2_000


class _Series(NamedTuple):
    """What observes the histograms of requests with one set of labels."""

    duration: Callable[[float], None]
    request_size: Callable[[float], None]
    response_size: Callable[[float], None]
    input_tokens: Callable[[float], None]
    output_tokens: Callable[[float], None]
    cached_tokens: Callable[[float], None]
    ntpot: Callable[[float], None]
    tpot: Callable[[float], None]
    ttft: Callable[[float], None]
    stream_ttft: Callable[[float], None]


class RoutingMetrics:
    """Counts decisions and requests; gauges are asked for at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._requests = metrics.counter(names.REQUESTS)
        self._errors = metrics.counter(names.ERRORS)
        self._series: dict[Labels, _Series] = {}
        self._violations = metrics.counter(names.SLO_VIOLATIONS)
        self._decision_time = metrics.histogram(names.DECISION_TIME)
        self._attempts = metrics.counter(names.ATTEMPTS)
        self._rewrites = metrics.counter(names.REWRITES)
        self._waiting_time = metrics.histogram(names.WAITING_TIME)
        self._outcomes = metrics.counter(names.FLOW_OUTCOMES)
        self._endings = metrics.counter(names.ENDINGS)
        self._faults = metrics.counter(names.FAULTS)
        self._refusals = metrics.counter(names.REFUSALS)
        self._slow_clients = metrics.counter(names.SLOW_CLIENTS)
        metrics.gauge(names.INFO).set(1, bayplan.__version__)

    def decided(self, answer: Answer) -> None:
        """The router has answered, at once or after it held the request."""
        request = answer.request
        target = request.model or ""
        if not answer.picked:
            self._attempts.add("failure", target, "", "", "")
            return
        endpoint = answer.picked[0]
        self._attempts.add("success", target, endpoint.name, endpoint.namespace, str(endpoint.port))
        if request.asked_model != request.model:
            self._rewrites.add(request.asked_model or "", target)

    def took(self, seconds: float) -> None:
        """How long the router thought about a request."""
        self._decision_time.observe(seconds)

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

    def ended(self, request: RoutedRequest, ended: EndedRequest) -> None:
        """A request is over."""
        labels = labels_of(request)
        series = self._series.get(labels)
        if series is None:
            series = self._learn(labels)
        self._requests.add(*labels)
        self._endings.add(ended.ending)
        series.duration(ended.duration_s)
        series.request_size(ended.request_bytes)
        status = ended.status
        if status is None or status >= 400:
            self._errors.add(*labels, "cancelled" if status is None else str(status))
            return
        series.response_size(ended.response_bytes)
        if ended.ttft_s is not None:
            (series.stream_ttft if ended.is_stream else series.ttft)(ended.ttft_s)
        if ended.prompt_tokens is not None:
            series.input_tokens(ended.prompt_tokens)
        if ended.cached_tokens is not None:
            series.cached_tokens(ended.cached_tokens)
        tpot_s = self._per_token(series, ended) if ended.completion_tokens else None
        if request.slo_ttft_ms is not None or request.slo_tpot_ms is not None:
            self._missed(request, ended.ttft_s, tpot_s, labels)

    def _per_token(self, series: _Series, ended: EndedRequest) -> float | None:
        """Observe times per output token; the mean time between tokens of a stream."""
        tokens = ended.completion_tokens or 0
        series.output_tokens(tokens)
        series.ntpot(ended.duration_s / tokens)
        if not ended.is_stream or ended.ttft_s is None or tokens == 1:
            return None
        tpot_s = (ended.duration_s - ended.ttft_s) / (tokens - 1)
        series.tpot(tpot_s)
        return tpot_s

    def _missed(self, request: RoutedRequest, ttft_s: float | None, tpot_s: float | None, labels: Labels) -> None:
        """Count the goals of its headers that a request missed."""
        for goal_ms, reached_s, kind in ((request.slo_ttft_ms, ttft_s, "ttft"), (request.slo_tpot_ms, tpot_s, "tpot")):
            if goal_ms is not None and reached_s is not None and reached_s * 1e3 > goal_ms:
                self._violations.add(*labels, kind)

    def _learn(self, labels: Labels) -> _Series:
        if len(self._series) >= _KEPT_SERIES:
            self._series.clear()  # labels are what clients say, and must not fill the memory
        of = self.metrics.histogram
        ttft = [of(names.TTFT).observer(*labels, streaming) for streaming in ("false", "true")]
        series = self._series[labels] = _Series(*[of(each).observer(*labels) for each in _PER_REQUEST], *ttft)
        return series

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


def labels_of(request: RoutedRequest) -> Labels:
    """What requests are told apart by."""
    return request.asked_model or "", request.model or "", request.fairness_id, str(request.priority)


def _mean(mean: Gauge, spread: Gauge, values: list[float | None]) -> None:
    known = [each for each in values if each is not None]
    mean.set(fmean(known) if known else 0.0)
    spread.set(pstdev(known) if known else 0.0)

"""Metrics of requests that are over, counted some hundreds at a time: one by one they cost as much as a decision."""

from __future__ import annotations

from collections import Counter as Tally
from typing import TYPE_CHECKING, Final, NamedTuple

from bayplan.telemetry.metrics import routing_catalogue as names

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest
    from bayplan.telemetry.metrics.registry import Metrics

Labels = tuple[str, str, str, str]
_MOST_UNCOUNTED: Final = 512
_ERROR: Final = 400


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


def labels_of(request: RoutedRequest) -> Labels:
    """What requests are told apart by."""
    return request.asked_model or "", request.model or "", request.fairness_id, str(request.priority)


class RequestMetrics:
    """Keeps what requests were until enough are there, or somebody wants to see the metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._requests = metrics.counter(names.REQUESTS)
        self._errors = metrics.counter(names.ERRORS)
        self._endings = metrics.counter(names.ENDINGS)
        self._violations = metrics.counter(names.SLO_VIOLATIONS)
        self._uncounted: list[tuple[tuple[str | None, str | None, str, int], EndedRequest]] = []
        metrics.ask("ended requests", self.count)

    def ended(self, request: RoutedRequest, ended: EndedRequest) -> None:
        """A request is over."""
        self._uncounted.append(((request.asked_model, request.model, request.fairness_id, request.priority), ended))
        if request.slo_ttft_ms is not None or request.slo_tpot_ms is not None:
            self._judge(request, ended)
        if len(self._uncounted) >= _MOST_UNCOUNTED:
            self.count()

    def count(self) -> None:
        """Count what was kept."""
        uncounted, self._uncounted = self._uncounted, []
        grouped: dict[tuple[str | None, str | None, str, int], list[EndedRequest]] = {}
        for key, ended in uncounted:
            grouped.setdefault(key, []).append(ended)
        for (asked_model, model, fairness_id, priority), group in grouped.items():
            self._count((asked_model or "", model or "", fairness_id, str(priority)), group)

    def _count(self, labels: Labels, group: list[EndedRequest]) -> None:
        self._requests.add(*labels, by=len(group))
        for ending, number in Tally([each.ending for each in group]).items():
            self._endings.add(ending, by=number)
        of = self._metrics.histogram
        of(names.DURATION).observe_all([each.duration_s for each in group], *labels)
        of(names.REQUEST_SIZE).observe_all([each.request_bytes for each in group], *labels)
        good = [each for each in group if each.status is not None and each.status < _ERROR]
        if len(good) < len(group):
            failed = [each.status for each in group if each.status is None or each.status >= _ERROR]
            for status, number in Tally(failed).items():
                self._errors.add(*labels, "cancelled" if status is None else str(status), by=number)
        self._count_good(labels, good)

    def _count_good(self, labels: Labels, good: list[EndedRequest]) -> None:
        of = self._metrics.histogram
        of(names.RESPONSE_SIZE).observe_all([each.response_bytes for each in good], *labels)
        for is_stream, streaming in ((False, "false"), (True, "true")):
            ttfts = [each.ttft_s for each in good if each.is_stream is is_stream and each.ttft_s is not None]
            of(names.TTFT).observe_all(ttfts, *labels, streaming)
        prompts = [each.prompt_tokens for each in good if each.prompt_tokens is not None]
        of(names.INPUT_TOKENS).observe_all(prompts, *labels)
        cached = [each.cached_tokens for each in good if each.cached_tokens is not None]
        of(names.CACHED_TOKENS).observe_all(cached, *labels)
        told = [(each, each.completion_tokens) for each in good if each.completion_tokens]
        of(names.OUTPUT_TOKENS).observe_all([tokens for _, tokens in told], *labels)
        of(names.NTPOT).observe_all([each.duration_s / tokens for each, tokens in told], *labels)
        tpots = [tpot_s for each, _ in told if (tpot_s := _tpot_s(each)) is not None]
        of(names.TPOT).observe_all(tpots, *labels)

    def _judge(self, request: RoutedRequest, ended: EndedRequest) -> None:
        """Count the goals of its headers that a request missed."""
        if ended.status is None or ended.status >= _ERROR:
            return
        goals = ((request.slo_ttft_ms, ended.ttft_s, "ttft"), (request.slo_tpot_ms, _tpot_s(ended), "tpot"))
        for goal_ms, reached_s, kind in goals:
            if goal_ms is not None and reached_s is not None and reached_s * 1e3 > goal_ms:
                self._violations.add(*labels_of(request), kind)


def _tpot_s(ended: EndedRequest) -> float | None:
    """The mean time between tokens of a stream; None where there is none."""
    tokens = ended.completion_tokens
    if not tokens or tokens == 1 or not ended.is_stream or ended.ttft_s is None:
        return None
    return (ended.duration_s - ended.ttft_s) / (tokens - 1)

"""What became of requests to models, as metrics and by model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from bayplan.telemetry.metrics import routing_catalogue as names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.signals.discovery.model_place import ModelPlace
    from bayplan.telemetry.metrics.registry import Metrics
    from bayplan.telemetry.request_metrics import EndedRequest

_FAILURE: Final = 400
_METHODS: Final = ("rest", "grpc")


class ModelFigures:
    """Counts; gauges are asked for at each scrape. Only models that exist have series: clients cannot make any up."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._infers = metrics.counter(names.MODEL_INFERS)
        self._infer_time = metrics.counter(names.MODEL_INFER_TIME)
        self._refusals = metrics.counter(names.MODEL_REFUSALS)
        self._faults = metrics.counter(names.MODEL_FAULTS)
        self.ends: Counter[tuple[str, bool]] = Counter()
        """Requests that have ended, by model and whether they were answered well."""

    def ask(self, running: Callable[[], Iterable[str]], waiting: Callable[[], Mapping[str, int]]) -> None:
        """Ask which models have requests that run, and how many wait for each."""
        runs, waits = self._metrics.gauge(names.MODEL_RUNNING), self._metrics.gauge(names.MODEL_WAITING)

        def ask() -> None:
            runs.replace({(model,): count for model, count in Counter(running()).items()})
            waits.replace({(model,): count for model, count in waiting().items()})

        self._metrics.ask("models", ask)

    def failed(self, place: ModelPlace, fault: str) -> None:
        """A replica failed before the first byte of its answer."""
        self._faults.add(place.model, place.replica, fault)

    def ended(self, model: str, place: ModelPlace | None, ended: EndedRequest, *, is_grpc: bool) -> None:
        """A request is over; a model of "" is none that there is."""
        if not model:
            return
        self.ends[model, ended.status is not None and ended.status < _FAILURE] += 1
        if place is None:
            self._refusals.add(model, str(ended.status or "cancelled"))
            return
        labels = (
            model, place.name, place.server, str(place.index), _METHODS[is_grpc], str(ended.status or "cancelled"),
        )  # fmt: skip
        self._infers.add(*labels)
        self._infer_time.add(*labels, by=ended.duration_s)

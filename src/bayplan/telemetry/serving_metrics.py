"""Metrics of models on servers: their states and what they hold, asked for at each scrape."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bayplan.cluster.serving_booking import HOLDING
from bayplan.control.collections import SERVED_MODELS, SERVER_REPLICAS
from bayplan.library.status.conditions import condition_of
from bayplan.library.status.documents import number, part
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.control.cache import Cache
    from bayplan.telemetry.metrics.registry import Metrics

_MIB = 1 << 20
_HOLDING = frozenset(each.value for each in HOLDING)
_UNTOLD = "unknown"


def ask_serving(metrics: Metrics, cache: Cache) -> None:
    """Ask at each scrape."""
    models, memory = metrics.gauge(catalogue.SERVED_MODELS), metrics.gauge(catalogue.SERVING_MEMORY)

    def ask() -> None:
        states = Counter(_state(each) for each in cache.all(SERVED_MODELS))
        models.replace({(state,): count for state, count in states.items()})
        rows = [part(each, "spec") for each in cache.all(SERVER_REPLICAS)]
        booked_mib = sum(_booked_mib(each) for each in rows)
        total_mib = sum(number(each.get("memory")) for each in rows)
        known: dict[tuple[str, ...], float] = {("booked",): booked_mib * _MIB, ("total",): total_mib * _MIB}
        memory.replace(known if rows else {})

    metrics.ask("serving", ask)


def _state(model: Mapping[str, Any]) -> str:
    return str(condition_of(model, "ModelReady").get("message") or _UNTOLD)


def _booked_mib(spec: Mapping[str, Any]) -> int:
    models: Iterator[Mapping[str, Any]] = iter(spec.get("models") or ())
    return sum(number(each.get("memory")) for each in models if each.get("state") in _HOLDING)

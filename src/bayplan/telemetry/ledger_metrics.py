"""Metrics of the ledger: what is booked and free, by model of GPU, asked for at each scrape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import STATUSES
from bayplan.cluster.worker import WorkerStatus
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from bayplan.cluster.ledger import Ledger
    from bayplan.telemetry.metrics.registry import Metrics

    Amounts = npt.NDArray[Any]
    ByModel = dict[tuple[str, ...], float]

_MIB = 1 << 20
_READY = STATUSES.index(WorkerStatus.READY)
_UNKNOWN_MODEL = "unknown"


def ask_ledger(metrics: Metrics, ledger: Callable[[], Ledger]) -> None:
    """Ask at each scrape; `ledger` is called each time, because another one may have taken its place."""
    gpus, memory = metrics.gauge(catalogue.GPUS), metrics.gauge(catalogue.GPU_MEMORY)
    fragmentation = metrics.gauge(catalogue.FRAGMENTATION)
    cpu, ram = metrics.gauge(catalogue.CPU), metrics.gauge(catalogue.RAM)
    bookings = metrics.gauge(catalogue.BOOKINGS)

    def ask() -> None:
        now = ledger()
        columns, models = now.table.columns, now.snapshot.pools.models.values
        cards = Cards(columns, models)
        gpus.replace(cards.numbers())
        memory.replace(cards.memory_bytes())
        fragmentation.replace(cards.fragmentation())
        cpu.replace(_host(columns, "cpu_milli", "cpu_free_milli", 1e-3))
        ram.replace(_host(columns, "ram_mib", "ram_free_mib", _MIB))
        bookings.set(int(columns["bookings"].sum()))

    metrics.ask("ledger", ask)


class Cards:
    """All cards of a table, in sums by model; every card and every byte is in exactly one state."""

    def __init__(self, columns: Mapping[str, Any], models: list[str]) -> None:
        self._columns = columns
        width = columns["card_memory_mib"].shape[1]
        self._there = np.arange(width) < columns["card_count"][:, None]
        self._open = self._there & columns["card_healthy"] & (columns["status"] == _READY)[:, None]
        self._models = [*models, _UNKNOWN_MODEL]
        self._model = np.where(columns["card_model_id"] < 0, len(models), columns["card_model_id"])
        self._has = self._by_model(self._there, np.ones(self._there.shape)) > 0

    def numbers(self) -> ByModel:
        """Cards by model and state."""
        columns, ones = self._columns, np.ones(self._there.shape)
        idle = self._open & columns["card_wholly_free"]
        full = self._open & ~idle & ((columns["card_free_mib"] == 0) | (columns["card_wholes"] > 0))
        states = {
            "free": idle,
            "partly": self._open & ~idle & ~full,
            "full": full,
            "unavailable": self._there & ~self._open,
        }
        return self._told({state: self._by_model(chosen, ones) for state, chosen in states.items()})

    def memory_bytes(self) -> ByModel:
        """Memory of the cards whose size is known."""
        columns = self._columns
        size = columns["card_memory_mib"]
        known, free = size >= 0, np.maximum(columns["card_free_mib"], 0)
        booked = np.clip(columns["card_booked_mib"], 0, size)
        foreign = np.clip(columns["card_foreign_mib"], 0, np.maximum(size - booked, 0))
        free = np.minimum(free, np.maximum(size - booked - foreign, 0))
        open_, closed = self._open & known, self._there & known & ~self._open
        states = {
            "booked": self._by_model(open_, booked),
            "foreign": self._by_model(open_, foreign),
            "free": self._by_model(open_, free),
            "kept-back": self._by_model(open_, size - booked - foreign - free),
            "unavailable": self._by_model(closed, size),
        }
        return self._told({state: amounts * _MIB for state, amounts in states.items()})

    def fragmentation(self) -> ByModel:
        """The share of free memory on cards that cannot be given whole; no number where nothing is free."""
        free = np.maximum(self._columns["card_free_mib"], 0)
        all_free = self._by_model(self._open, free)
        in_parts = self._by_model(self._open & ~self._columns["card_wholly_free"], free)
        return {
            (model,): float(part / whole)
            for model, part, whole in zip(self._models, in_parts, all_free, strict=True)
            if whole > 0
        }

    def _by_model(self, chosen: Amounts, amounts: Amounts) -> Amounts:
        return np.bincount(self._model[chosen], amounts[chosen], len(self._models))

    def _told(self, states: Mapping[str, Amounts]) -> ByModel:
        return {
            (self._models[number], state): float(amounts[number])
            for state, amounts in states.items()
            for number in np.flatnonzero(self._has)
        }


def _host(columns: Mapping[str, Any], size: str, free: str, unit: float) -> ByModel:
    """CPU or RAM of the workers where it is known."""
    known, ready = columns[size] >= 0, columns["status"] == _READY
    offered, left = columns[size], np.clip(columns[free], 0, None)
    taken = np.maximum(offered - left, 0)
    return {
        ("booked",): float(taken[known & ready].sum()) * unit,
        ("free",): float(left[known & ready].sum()) * unit,
        ("unavailable",): float(offered[known & ~ready].sum()) * unit,
    }

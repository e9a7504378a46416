"""What a replica is expected to use of the cards and the host that it gets."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.catalogue import matches, words_of
from bayplan.cluster.columns import UNKNOWN
from bayplan.cluster.mig import profile_memory_mib
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.layers import layer_cards

if TYPE_CHECKING:
    from bayplan.cluster.workload import Container, DryRun
    from bayplan.framework.plugins import FloatArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import WorkerRows

READS = ("card_model_id", "card_memory_mib", "card_room", "fit_shape", "chosen", "pools")
"""The columns that the functions below look at."""

A_CORE_MILLI = 1000
WITHOUT_LIMIT = 1.5
"""A container without a limit is expected to use its request times this."""


@lru_cache(maxsize=4096)
def dry_run_of(records: tuple[DryRun, ...], product: str) -> DryRun | None:
    """The trial run on cards of that product: of several that match, the one that names it most closely."""
    found = [record for record in records if matches(record.model, product)]
    return max(found, key=lambda record: len(words_of(record.model)), default=None)


def dry_runs(ask: Ask, rows: WorkerRows) -> tuple[FloatArray, FloatArray]:
    """Of each card, what a trial run on its model took at most: percent of the GPU and MiB, NaN for no record."""
    percent, memory = np.full(rows.card_model_id.shape, np.nan), np.full(rows.card_model_id.shape, np.nan)
    for number in np.unique(rows.card_model_id).tolist() if ask.dry_run else ():
        record = None if number == UNKNOWN else dry_run_of(ask.dry_run, rows.pools.models[number])
        if record is not None:
            cards = rows.card_model_id == number
            percent[cards] = np.nan if record.gpu_percent is None else record.gpu_percent
            memory[cards] = np.nan if record.memory_mib is None else record.memory_mib
    return percent, memory


def gpu_percent(ask: Ask, rows: WorkerRows) -> FloatArray:
    """Of each card, the part of its compute that is asked for, else what a trial run took, else all of it."""
    if ask.compute_milli:
        return np.full(rows.card_model_id.shape, ask.compute_milli / 10)
    percent, _ = dry_runs(ask, rows)
    return np.where(np.isnan(percent), 100.0, percent)


def card_mib(ask: Ask, rows: WorkerRows) -> FloatArray:
    """Of each card that is given, the memory that would be booked on it; NaN on a card of unknown size."""
    size = np.where(rows.card_memory_mib < 0, np.nan, rows.card_memory_mib.astype(np.float64))
    if ask.taking is Taking.WHOLE:
        return size
    if ask.taking is Taking.PLACES:
        place: FloatArray = size // np.maximum(rows.card_places, 1)
        return place
    if ask.taking is Taking.LAYERS:
        return _by_layers(ask, rows)
    if ask.taking is Taking.SLICES:
        return _by_slices(ask, rows)
    if not ask.rule.needs_memory or not ask.shapes:
        return np.zeros(size.shape)
    need = ask.at(np.maximum(rows.fit_shape, 0)[:, None])
    booked: FloatArray = np.broadcast_to(booked_mib(ask, need, rows.card_memory_mib), size.shape).astype(np.float64)
    return booked


def _by_slices(ask: Ask, rows: WorkerRows) -> FloatArray:
    """Instances may share a card: what they hold together counts, divided over the cards that give them."""
    held = profile_memory_mib(ask.mig or "")
    cards = np.maximum(rows.chosen.sum(1), 1)
    together = np.nan if held is None else ask.shapes[0].cards * held
    booked: FloatArray = np.broadcast_to((together / cards)[:, None], rows.chosen.shape).astype(np.float64)
    return booked


def _by_layers(ask: Ask, rows: WorkerRows) -> FloatArray:
    """Row by row: engines that divide by layers are few."""
    layers = layer_cards.layers_of(ask)
    booked = np.zeros(rows.chosen.shape)
    for row in np.flatnonzero(rows.chosen.any(1)).tolist():
        places = np.flatnonzero(rows.chosen[row])
        held = layer_cards.shares(layers, rows.card_room[row][places].tolist())
        booked[row, places] = [layers.card_mib(number) if number else 0 for number in held]
    return booked


def limited_cpu_milli(ask: Ask) -> float:
    """The CPU that a Pod's containers are expected to use, or what a workload of our own asks for."""
    if ask.containers:
        return sum(map(_limited, ask.containers))
    return ask.cpu_milli or 0


def _limited(container: Container) -> float:
    if container.cpu_limit_milli is not None:
        return container.cpu_limit_milli
    return container.cpu_milli * WITHOUT_LIMIT if container.cpu_milli else A_CORE_MILLI

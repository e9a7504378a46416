"""Prefer workers by how well a replica sits in their NUMA zones."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.cards.fit import READS as FIT_READS
from bayplan.placement.cards.mig.instances import ROOM_READS
from bayplan.placement.cards.numa.fewest_zones import fewest_score
from bayplan.placement.cards.numa.zone_fit import cards_in
from bayplan.placement.cards.numa.zones import BOUNDLESS, READS, demands, together, zones_of, zoning
from bayplan.placement.factors.parts import NEUTRAL, not_known, part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask, CardNeed
    from bayplan.placement.cards.numa.zones import ZoneDemand, Zones
    from bayplan.placement.cards.rows import Numbers, WorkerRows

RESOURCES = ("cpu", "ram")


@dataclass(frozen=True, slots=True)
class NumaAlignment:
    """Scores a worker by its NUMA zones, with f = what is asked / what a zone has free, resource by resource.

    LeastAllocated is the weighted mean of 1 − f, MostAllocated that of f, BalancedAllocation 1 − the variance of the
    f. The lowest score of the zones that hold CPU, RAM and cards counts, 0 if none does; of several containers, where
    the worker's scope is `container`, their mean. A resource that is not asked for is left out.

    LeastNUMANodes takes the fewest zones that hold the request together, of equals the nearest: 0.94 for one zone and
    0.12 less for each further one, and 0.06 less where other zones of the worker are nearer to each other. Containers
    take from the zones one after the other, and the lowest score counts.

    A Pod that is not guaranteed scores 1. A worker that does not tell its zones scores 0.5, with a note.

    Parameters:
        strategy: LeastAllocated, MostAllocated, BalancedAllocation or LeastNUMANodes.
        resources: how much `cpu` and `ram` count; one that is not named does not count.
    """

    strategy: Literal["LeastAllocated", "MostAllocated", "BalancedAllocation", "LeastNUMANodes"] = "LeastAllocated"
    resources: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(RESOURCES, 1.0))

    name = "numa-alignment"
    reads = tuple(dict.fromkeys((*READS, *FIT_READS, *ROOM_READS, "fit_shape")))

    def __post_init__(self) -> None:
        for name, weight in self.resources.items():
            if name not in RESOURCES:
                step = did_you_mean(name, RESOURCES)
                raise InputError(f"zones do not report {name!r}", place="resources", next=step)
            if not 0 <= weight < inf:
                raise InputError(f"{weight:g} is no weight of {name}", place="resources", next="write 0 or more")
        if not sum(self.resources.values()):
            raise InputError("no resource counts", place="resources", next="give cpu or ram a weight above 0")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if not ask.guaranteed:
            return np.ones(rows.size)
        zones, (cards, need) = zones_of(rows), _cards(ask, rows)
        free = cards_in(ask, rows, zones, need) if cards.any() else np.zeros(zones.there.shape, np.int64)
        one = [together(ask, cards)]
        score = self._scored(rows, zones, free, one)
        if len(ask.containers) > 1:
            apart = self._scored(rows, zones, free, demands(ask, cards))
            score = np.where(zoning(rows.pools).by_pod[rows.numa_id], score, apart)
        return np.where(zones.there.any(1), score, NEUTRAL)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        if not ask.guaranteed:
            return ["a Pod that is not Guaranteed may use any zone"] * rows.size
        zones = zones_of(rows)
        there = np.asarray(zones.there.any(1))
        parts = [part("NUMA zones", np.zeros(rows.size), there)]
        for name, want, amounts in (("cpu", ask.cpu_milli, zones.cpu_milli), ("ram", ask.ram_mib, zones.ram_mib)):
            if want and name in self.resources:
                told = np.asarray((amounts < BOUNDLESS).all(1))
                parts.append(part(f"{name} of the zones", np.zeros(rows.size), told, there))
        return not_known(parts, rows.size)

    def _scored(self, rows: WorkerRows, zones: Zones, free: Numbers, wanted: list[ZoneDemand]) -> FloatArray:
        if self.strategy == "LeastNUMANodes":
            return _fewest(rows, zones, free, wanted)
        scores = [self._of_zones(zones, free, demand) for demand in wanted]
        mean: FloatArray = np.mean(scores, axis=0)
        return mean

    def _of_zones(self, zones: Zones, free: Numbers, demand: ZoneDemand) -> FloatArray:
        """The lowest score of the zones that hold one container."""
        holds = zones.hosting(demand) & (free >= np.reshape(demand.cards, (-1, 1)))
        asked = {"cpu": (demand.cpu_milli, zones.cpu_milli), "ram": (demand.ram_mib, zones.ram_mib)}
        parts = []
        for name, weight in self.resources.items():
            want, amounts = asked[name]
            counts = np.where(amounts < BOUNDLESS, weight, 0.0) if want else np.zeros(amounts.shape)
            parts.append((np.minimum(want / np.maximum(amounts, 1), 1.0), counts))
        score = self._combined(np.stack([part for part, _ in parts]), np.stack([counts for _, counts in parts]))
        # inf: a zone that does not hold it is never the lowest
        lowest: FloatArray = np.where(holds, score, np.inf).min(1)
        return np.where(np.isinf(lowest), 0.0, lowest)

    def _combined(self, parts: FloatArray, weights: FloatArray) -> FloatArray:
        """Resources × rows × zones into one score for each zone."""
        if self.strategy == "BalancedAllocation":
            counted = weights > 0
            number = counted.sum(0)
            mean = np.where(counted, parts, 0.0).sum(0) / np.maximum(number, 1)
            squares = np.where(counted, (parts - mean) ** 2, 0.0).sum(0)
            balance: FloatArray = 1.0 - squares / np.maximum(number - 1, 1)
            return balance
        total = weights.sum(0)
        taken: FloatArray = (parts * weights).sum(0) / np.where(total > 0, total, 1.0)
        return taken if self.strategy == "MostAllocated" else 1.0 - taken


def _cards(ask: Ask, rows: WorkerRows) -> tuple[Numbers, CardNeed]:
    """How many cards each row would give, and what each of them must hold."""
    if ask.taking is Taking.NOTHING or ask.unknown:
        return np.zeros(rows.size, np.int64), CardShape(0)
    if ask.layers is not None:
        return np.full(rows.size, ask.layers.cards or 1), CardShape(1, ask.layers.card_mib(1))
    shape = np.maximum(rows.fit_shape, 0)
    return ask.card_counts[shape], ask.at(shape[:, None])


def _fewest(rows: WorkerRows, zones: Zones, free: Numbers, wanted: list[ZoneDemand]) -> FloatArray:
    """Rows in equal states are looked at once."""
    cards = [np.broadcast_to(demand.cards, rows.numa_id.shape) for demand in wanted]
    states = np.column_stack([rows.numa_id, zones.cpu_milli, zones.ram_mib, free, *cards])
    distinct, which = np.unique(states, axis=0, return_inverse=True)
    width = zones.there.shape[1]
    scores = np.zeros(len(distinct))
    for line, state in enumerate(distinct.tolist()):
        if state[0] < 0:  # no zones are told: the caller puts NEUTRAL there
            continue
        numa = rows.pools.numa[state[0]]
        amounts = zip(*(state[1 + part * width :][: len(numa.zones)] for part in range(3)), strict=True)
        asked = [
            (demand.cpu_milli, demand.ram_mib, number)
            for demand, number in zip(wanted, state[1 + 3 * width :], strict=True)
        ]
        scores[line] = fewest_score(numa, list(amounts), asked)
    of_rows: FloatArray = scores[which.reshape(-1)]
    return of_rows

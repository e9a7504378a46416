"""What the NUMA zones of workers have free, as columns, and what a replica wants of one zone at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.placement.asks.ask import Taking

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.numa import Numa
    from bayplan.cluster.pool import Pool
    from bayplan.cluster.pools import Pools
    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = (
    "numa_id", "card_numa", "cpu_free_milli", "ram_free_mib", "card_host_milli", "card_host_mib", "pools",
)  # fmt: skip

BOUNDLESS = 1 << 50
"""The amount of a zone where no zone of the worker reports the resource: above any demand, so the worker decides."""

_NO_ZONE = -2
"""No zone at this place; -1 is a card whose zone is not known, so the two never match."""


class ZoneDemand(NamedTuple):
    """What must come from one zone; `cards` may differ from row to row."""

    cpu_milli: int
    ram_mib: int
    cards: Any


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones of some rows, in the order of their ids: rows × zones, and `inside` rows × zones × cards.

    A zone has what it offers, less CPU and RAM of the bookings whose cards are all in it, and never more than the
    worker has free. Bookings without cards, or with cards of several zones, are charged to no zone. Where no card
    tells its zone, every zone has them all.
    """

    there: BoolArray
    cpu_milli: Numbers
    ram_mib: Numbers
    inside: BoolArray

    def cards(self, candidates: BoolArray) -> Numbers:
        """How many of these cards each zone has."""
        counts: Numbers = (self.inside & candidates[:, None, :]).sum(2)
        return counts

    def hosting(self, demand: ZoneDemand) -> BoolArray:
        """Which zones have the CPU and the RAM."""
        return self.there & (self.cpu_milli >= demand.cpu_milli) & (self.ram_mib >= demand.ram_mib)


class Zoning(NamedTuple):
    """The distinct zones of a pool, one line a number, and a last line for workers without any."""

    ids: Numbers
    cpu_milli: Numbers
    ram_mib: Numbers
    strict: BoolArray
    by_pod: BoolArray
    any_strict: bool


def zoning(pools: Pools) -> Zoning:
    """The zones behind column `numa_id`."""
    return _zoning(pools.numa, len(pools.numa))


def any_strict(pools: Pools) -> bool:
    """Whether any worker insists on single zones."""
    return len(pools.numa) > 0 and zoning(pools).any_strict


def zones_of(rows: CardRows) -> Zones:
    """The zones of these rows as they stand."""
    known = zoning(rows.pools)
    ids = known.ids[rows.numa_id]
    there = ids != _NO_ZONE
    inside = rows.card_numa[:, None, :] == ids[:, :, None]
    blind = ~(rows.card_numa >= 0).any(1)
    inside[blind] = there[blind][:, :, None]
    return Zones(
        there,
        _free(known.cpu_milli[rows.numa_id], inside, rows.card_host_milli, rows.cpu_free_milli),
        _free(known.ram_mib[rows.numa_id], inside, rows.card_host_mib, rows.ram_free_mib),
        inside,
    )


def demands(ask: Ask, cards: Any) -> list[ZoneDemand]:
    """What each container wants, in order; a native workload is one. Devices alone, where nothing is guaranteed.

    Containers that share one card need one zone together.
    """
    if len(ask.containers) < 2:
        return [together(ask, cards)]
    wanted = [
        ZoneDemand(each.cpu_milli, each.ram_mib, each.cards) if ask.guaranteed else ZoneDemand(0, 0, each.cards)
        for each in ask.containers
    ]
    sharing = [each for each in wanted if each.cards]
    if ask.taking is not Taking.SHARE or len(sharing) < 2:
        return wanted
    first = wanted.index(sharing[0])
    merged = ZoneDemand(sum(each.cpu_milli for each in sharing), sum(each.ram_mib for each in sharing), cards)
    alone = [each for each in wanted if not each.cards]
    return [*alone[:first], merged, *alone[first:]]


def together(ask: Ask, cards: Any) -> ZoneDemand:
    """All containers as one."""
    if not ask.guaranteed:
        return ZoneDemand(0, 0, cards)
    return ZoneDemand(ask.cpu_milli or 0, ask.ram_mib or 0, cards)


def _free(offered: Numbers, inside: BoolArray, held: Numbers, worker_free: Numbers) -> Numbers:
    used = np.where(inside, held[:, None, :], 0).sum(2)
    left = np.where(offered >= BOUNDLESS, BOUNDLESS, np.maximum(offered - used, 0))
    # -1: not known, no limit
    free: Numbers = np.minimum(left, np.where(worker_free >= 0, worker_free, BOUNDLESS)[:, None])
    return free


@lru_cache(maxsize=16)
def _zoning(pool: Pool[Numa], size: int) -> Zoning:
    """Pools only grow, so their length says whether this still holds."""
    known = pool.values[:size]
    width = max([1, *(len(numa.zones) for numa in known)])
    # one line more: `numa_id` -1, without zones, reads the last line
    ids = np.full((size + 1, width), _NO_ZONE, np.int64)
    cpu, ram = (np.zeros((size + 1, width), np.int64) for _ in range(2))
    for line, numa in enumerate(known):
        zones = sorted(numa.zones, key=lambda zone: zone.id)
        ids[line, : len(zones)] = [zone.id for zone in zones]
        cpu[line, : len(zones)] = _told(zones, lambda zone: zone.cpu_milli)
        ram[line, : len(zones)] = _told(zones, lambda zone: zone.ram_mib)
    strict = np.array([*(numa.strict for numa in known), False], np.bool_)
    by_pod = np.array([*(numa.scope == "pod" for numa in known), False], np.bool_)
    return Zoning(ids, cpu, ram, strict, by_pod, bool(strict.any()))


def _told(zones: list[Any], amount: Callable[[Any], int | None]) -> list[int]:
    """A zone that is silent beside others that are not has nothing."""
    amounts = [amount(zone) for zone in zones]
    if all(each is None for each in amounts):
        return [BOUNDLESS] * len(zones)
    return [min(each or 0, BOUNDLESS - 1) for each in amounts]  # BOUNDLESS itself says that nothing is reported

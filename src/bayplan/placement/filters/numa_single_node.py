"""Keep the workers on which one NUMA zone holds what a container needs, where they insist on that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.cluster.readable import format_cpu, format_mib
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.cards.fit import READS as FIT_READS
from bayplan.placement.cards.mig.instances import ROOM_READS
from bayplan.placement.cards.numa.zone_fit import aligned, cards_in
from bayplan.placement.cards.numa.zones import BOUNDLESS, READS, ZoneDemand, demands, together, zones_of, zoning
from bayplan.placement.cards.room import room_of
from bayplan.placement.cards.shortage import least_demand

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.numa.zones import Zones
    from bayplan.placement.cards.rows import Numbers, WorkerRows


class NumaSingleNode:
    """Refuses a worker with topology policy `single-numa-node` if no single zone has enough CPU, RAM and free cards.

    With scope `container` the containers of a Pod are placed in order, each in the lowest zone that has room for it;
    with scope `pod` all of them together need one zone. A native workload is one container. Of Pods that are not
    guaranteed only the devices count. Workers of another policy, or without zones, pass. A zone has what it offers
    less CPU and RAM of the bookings whose cards are all in it; other bookings are charged to no zone. What no zone
    reports is not checked. The code is `numa-misaligned`. Present only where a worker has that policy.
    """

    name = "numa-single-node"
    reads = tuple(dict.fromkeys((*READS, *FIT_READS, *ROOM_READS)))
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        return aligned(ask, rows, room_of(ask, rows)).fits

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        zones, known = zones_of(refused), zoning(refused.pools)
        least = CardShape(0) if ask.taking is Taking.NOTHING else least_demand(ask)
        cards = least.cards
        free = cards_in(ask, refused, zones, least) if cards else np.zeros(zones.there.shape, np.int64)
        by_pod = known.by_pod[refused.numa_id].tolist()
        wanted = [_wanted(ask, cards, by_pod=pod) for pod in by_pod]
        return Reasons(
            "numa-misaligned",
            curable=_curable(refused, zones, wanted),
            wants=[_amounts(*each, each) for each in wanted],
            among=""
            if len(ask.containers) < 2
            else [" for its containers" if pod else " for each container" for pod in by_pod],
            zones=zones.there.sum(1),
            best=[_best(zones, free, line, demand) for line, demand in enumerate(wanted)],
            text="needs {wants} in one NUMA zone{among}; the best of its {zones} zones has {best} free",
        )


def _wanted(ask: Ask, cards: int, *, by_pod: bool) -> ZoneDemand:
    """All of it, or the container that wants most."""
    return together(ask, cards) if by_pod else max(demands(ask, cards), key=lambda each: (each.cards, each.cpu_milli))


def _curable(rows: WorkerRows, zones: Zones, wanted: list[ZoneDemand]) -> list[bool]:
    """Whether a zone would have room if no booking held anything there."""
    known = zoning(rows.pools)
    cpu, ram = known.cpu_milli[rows.numa_id], known.ram_mib[rows.numa_id]
    cards = zones.cards(rows.card_rank >= 0)
    return [
        bool(((cpu[line] >= each.cpu_milli) & (ram[line] >= each.ram_mib) & (cards[line] >= each.cards)).any())
        for line, each in enumerate(wanted)
    ]


def _best(zones: Zones, free: Numbers, line: int, demand: ZoneDemand) -> str:
    """What the zone has that comes nearest: by cards, then by CPU, then by RAM."""
    there = np.flatnonzero(zones.there[line]).tolist()
    has = [
        ZoneDemand(int(zones.cpu_milli[line, zone]), int(zones.ram_mib[line, zone]), int(free[line, zone]))
        for zone in there
    ]
    nearest = max(has, key=lambda each: [*map(min, each[::-1], demand[::-1])])
    return _amounts(*nearest, demand)


def _amounts(cpu_milli: int, ram_mib: int, cards: int, demand: ZoneDemand) -> str:
    """In words, of what is wanted only."""
    told = [
        format_cpu(cpu_milli) if demand.cpu_milli and cpu_milli < BOUNDLESS else "",
        f"{format_mib(ram_mib)} of RAM" if demand.ram_mib and ram_mib < BOUNDLESS else "",
        f"{cards} card{'s' * (cards != 1)}" if demand.cards else "",
    ]
    *others, last = [each for each in told if each] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last

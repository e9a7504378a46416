"""Many equal replicas of one workload, placed by counting: the same workers and cards as by single decisions."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.placement.gangs.copies import MOST_COPIES, counts_copies
from bayplan.placement.gangs.gang_placer import GangAsk, GangPlacer, copy_placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.plans import Member, Replica
    from bayplan.placement.search import Search

FEW_REPLICAS = 16
"""So few are placed one by one: looking ahead on all workers would cost more than it saves."""


def place_equals(search: Search, member: Member, numbers: Iterator[int], wanted: int) -> list[Replica]:
    """As many of the wanted replicas as fit in the first tier; none where they cannot be counted.

    Once the first tier has no room left it stays so, because replicas only take: the others are for whoever asks tier
    by tier.
    """
    asked = search.asked(member, wanted)
    if wanted <= FEW_REPLICAS or asked.counts_copies or not _counts(search, member):
        return []
    ask, strategy = asked.asks[0], member.sized.shape.strategy
    placer = GangPlacer(search.placer, strategy, search.trial, search.extras(member, asked.asks))
    devices, subject = search.placer.devices(strategy), search.subject(0, asked.asks)
    found: list[Replica] = []
    while len(found) < wanted:
        copies = placer.copies(ask)
        ahead = MOST_COPIES if copies.rooms.max(initial=0) >= MOST_COPIES else wanted  # behind these nobody looked
        placed, writes = placer.place(GangAsk(subject.workload, ask, min(ahead, wanted - len(found)), 1))
        if placed is None:
            break
        for number, copy, taken in zip(islice(numbers, len(placed.picked)), placed.picked, placed.taken, strict=True):
            made = copy_placed(ask, devices, copy.row, taken, replace(subject, replica=number))
            found.append(search.take(member, number, made, copy.total, {}))
        writes.apply()
    return found


def _counts(search: Search, member: Member) -> bool:
    """Whether the first tier is one that is counted, and of equal workers the first is taken."""
    asks, strategy = search.asked(member, 1).asks, member.sized.shape.strategy
    extras = search.extras(member, asks)
    picker = search.placer.picker(strategy)
    is_first = isinstance(picker, MaxScore) and picker.ties == "lowest"
    return is_first and counts_copies(search.placer, strategy, asks[0], search.trial, extras)

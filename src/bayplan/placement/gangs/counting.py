"""Equal members inside one domain: counted over all domains at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import domain_column
from bayplan.placement.asking import ask_tiers
from bayplan.placement.gangs.arranged import Arranged
from bayplan.placement.gangs.copies import MOST_COPIES, counts_copies
from bayplan.placement.gangs.gang_placer import GangAsk, GangPlacer
from bayplan.placement.search import Limits, Search, members_of
from bayplan.placement.subject import Within

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.placement.gangs.arranging import Arranging
    from bayplan.placement.gangs.gang_placer import GangPlaced
    from bayplan.placement.options import Option
    from bayplan.placement.plans import Member, Replica


def count_members(arranging: Arranging, level: Level) -> Arranged | None:
    """Where they go; None where they cannot be counted and have to be tried, domain by domain."""
    search = Search(arranging.planner, arranging.request, arranging.held, arranging.minimum, reasons=False)
    wanted = [(member, missing) for member, missing in search.missing() if missing]
    workload = arranging.request.workload
    if arranging.held or workload.spread_over is not None or len({each.sized.shape for each, _ in wanted}) != 1:
        return None
    if arranging.desired > MOST_COPIES:
        return None
    member, shape = wanted[0][0], wanted[0][0].sized.shape
    asks = search.asked(member, arranging.desired).asks
    extras = search.extras(member, asks)
    if len(asks) != 1 or not counts_copies(search.placer, shape.strategy, asks[0], search.trial, extras):
        return None
    placer = GangPlacer(search.placer, shape.strategy, search.trial, extras)
    whose = workload.id
    widest = ask_tiers(member.sized, search.snapshot, MOST_COPIES).asks[0]  # a domain's room is what it could hold
    gang = GangAsk(
        whose.name, asks[0], arranging.desired, arranging.minimum, level, whose.priority, namespace=whose.namespace,
        rooms_by=widest,
    )  # fmt: skip
    found, writes = placer.place(gang)
    rooms = placer.copies(widest).sums(search.snapshot.domains[level]).copy()  # which the writes would change
    if found is None:
        return _refused(arranging, wanted, rooms)
    writes.apply()
    arranged = Arranged(search, _taken(search, wanted, found), exact=True)
    left = arranging.desired - len(arranged.placed)
    search.blocked = _names(arranging, wanted, len(arranged.placed))
    if arranging.reasons:
        domain = search.snapshot.table.columns[domain_column(level)][found.picked[0].row]
        search.options = _options(arranging, int(domain))
        if left:
            search.refused = _refused(arranging, wanted, rooms).search.refused
    return arranged


def _taken(search: Search, wanted: list[tuple[Member, int]], found: GangPlaced) -> list[Replica]:
    """The members as replicas, in the order of the document."""
    members = [member for member, missing in wanted for _ in range(missing)]
    return [
        search.take(member, number, placed, copy.total, {})
        for number, (member, placed, copy) in enumerate(zip(members, found.members, found.picked, strict=False))
    ]


def _names(arranging: Arranging, wanted: list[tuple[Member, int]], placed: int) -> list[str]:
    """The names of those that are left out."""
    names = []
    for member, missing in wanted:
        names += members_of(arranging.request.workload, member, max(0, missing - placed))
        placed = max(0, placed - missing)
    return names


def _refused(arranging: Arranging, wanted: list[tuple[Member, int]], rooms: npt.NDArray[np.int64]) -> Arranged:
    """No domain holds them: every worker says how many its own does."""
    nowhere = Limits(within=Within(np.zeros(0, np.int64), arranging.desired, rooms))
    search = Search(
        arranging.planner, arranging.request, (), arranging.minimum, reasons=arranging.reasons, limits=nowhere
    )
    search.place(1)
    search.blocked = _names(arranging, wanted, int(rooms.max(initial=0)))
    return Arranged(search, [], exact=True)


def _options(arranging: Arranging, domain: int) -> tuple[Option, ...]:
    """What was considered for the first member in the domain of the gang."""
    limits = Limits(within=Within(np.array([domain], np.int64), arranging.minimum))
    search = Search(arranging.planner, arranging.request, (), arranging.minimum, limits=limits)
    search.place(1)
    return search.options

"""Which workers a workload can pay for all together, where its members share a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.worker import uid_hash
from bayplan.placement.search import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.placement.gangs.arranging import Arranging
    from bayplan.placement.plans import Member
    from bayplan.placement.search import Limits

MOST_WORKERS = 2000
MOST_STEPS = 4_000_000


def affordable_workers(
    arranging: Arranging, search: Search, member: Member, limits: Limits
) -> npt.NDArray[np.int64] | None:
    """The cheapest workers that hold as many members as the budget allows; None where there are too many to try."""
    fresh = Search(arranging.planner, arranging.request, arranging.held, 1, reasons=False, limits=limits)
    rows = fresh.rows_of(member).tolist()
    (limit,) = {ask.max_usd_per_hour for ask in fresh.asked(member, 1).asks if ask.max_usd_per_hour is not None}
    if len(rows) > MOST_WORKERS or len(rows) * arranging.desired**2 > MOST_STEPS:
        return None
    paid = set(fresh.subject(0, ()).used.tolist())
    workers = [arranging.planner.snapshot.workers[row] for row in rows]
    prices = [0.0 if uid_hash(each.uid) in paid else each.usd_per_hour or 0.0 for each in workers]
    rooms = [_room(arranging, member, limits, uid_hash(each.uid)) for each in workers]
    chosen = cheapest(prices, rooms, arranging.desired, limit - fresh.subject(0, ()).spent_usd_per_hour)
    return np.array([uid_hash(workers[place].uid) for place in chosen], np.int64)


def _room(arranging: Arranging, member: Member, limits: Limits, uid: int) -> int:
    """How many members the worker holds by itself."""
    only = replace(limits, affordable=np.array([uid], np.int64))
    alone = Search(arranging.planner, arranging.request, arranging.held, 1, reasons=False, limits=only)
    return len(alone.place(arranging.desired))


def cheapest(prices: Sequence[float], rooms: Sequence[int], wanted: int, limit: float) -> list[int]:
    """The places of the workers that hold most members up to `wanted` within the limit, and of those the cheapest.

    Exact: for every number of members the least that they cost, worker by worker.
    """
    least: list[tuple[float, tuple[int, ...]] | None] = [(0.0, ()), *([None] * wanted)]
    for place, (price, room) in enumerate(zip(prices, rooms, strict=True)):
        for members in range(wanted, 0, -1):
            for held in range(1, min(room, members) + 1):
                former = least[members - held]
                if former is None or former[0] + price > limit:
                    continue
                now = least[members]
                if now is None or former[0] + price < now[0]:
                    least[members] = (former[0] + price, (*former[1], place))
    return list(next(each[1] for each in reversed(least) if each is not None))

"""Which workers a workload can pay for all together, where its members share a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.worker import uid_hash
from bayplan.placement.constraints.cost_sum import limit_of
from bayplan.placement.gangs.equal_workers import Equals
from bayplan.placement.gangs.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import IndexArray
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.constraints.cost_sum import Spent
    from bayplan.placement.gangs.gang_planner import GangPlanner
    from bayplan.placement.gangs.trial import Limits

MOST_WORKERS = 2000
"""Workers among which the choice is exact; each is tried by itself, and more would take longer than people wait."""

MOST_STEPS = 4_000_000
"""Additions that the exact choice may take, some seconds: workers × the square of the members."""

FEWEST_PROMISING, MOST_PROMISING = 32, 128
"""Where that is too much, this many of the most promising workers are tried."""


class Affordable(NamedTuple):
    """The uid hashes of workers that hold as many members as the budget allows; `exact` where that is proven."""

    workers: npt.NDArray[np.int64]
    exact: bool


def affordable_workers(gang: GangPlanner, role: SizedRole, limits: Limits) -> Affordable:
    """The cheapest workers that hold as many members as the budget allows.

    Where there are too many to try, the workers with the most free memory for their price are tried.
    """
    fresh = Trial(gang.state, gang.sized, gang.held, 1, reasons=False, limits=limits)
    rows, steps = fresh.rows_of(role), MOST_STEPS // gang.desired**2
    limit = limit_of(fresh.asked(role, 1).asks) or 0.0
    exact = len(rows) <= min(MOST_WORKERS, steps)
    spent = fresh.constraints.spending.view(())
    if not exact:
        rows = _promising(fresh, rows, spent)[: min(MOST_PROMISING, max(FEWEST_PROMISING, steps))]
    workers = [gang.state.snapshot.workers[row] for row in rows.tolist()]
    prices = [spent.price(each) for each in workers]
    rooms = _rooms(gang, role, limits, fresh, rows)
    on_spot = fresh.constraints.on_spot
    lent = [place for place, each in enumerate(workers) if each.spot] if on_spot.applies(()) else []
    most, left = on_spot.view(()).left, spent.left(limit)  # workers that are paid for cost no more
    chosen = cheapest(prices, rooms, gang.desired, left, lent, most)
    return Affordable(np.array([uid_hash(workers[place].uid) for place in chosen], np.int64), exact)


def _promising(trial: Trial, rows: IndexArray, spent: Spent) -> IndexArray:
    """The workers with the most free memory for their price first; workers that cost nothing before all others."""
    columns = trial.table.gather(("card_free_mib",), rows)
    free = 1.0 + np.maximum(columns["card_free_mib"], 0).sum(axis=1)
    prices = np.array([spent.price(trial.snapshot.workers[row]) for row in rows.tolist()])
    worth = np.where(prices > 0, free / np.where(prices > 0, prices, 1.0), np.inf)
    ordered: IndexArray = rows[np.argsort(-worth, kind="stable")]
    return ordered


def _rooms(gang: GangPlanner, role: SizedRole, limits: Limits, trial: Trial, rows: IndexArray) -> list[int]:
    """How many members each worker holds by itself; of equal workers one is tried."""
    asks, spread = trial.asked(role, 1).asks, gang.sized.workload.spread_over
    if gang.held or limits.within is not None or spread is not None or role.shape.max_workers_to_score:
        keys: Sequence[Any] = rows.tolist()
    else:  # each worker is tried by itself, so the budget does not tell equal workers apart
        keys = Equals(trial, [replace(ask, max_usd_per_hour=None) for ask in asks]).keys(rows.tolist())
    known: dict[Any, int] = {}
    for row, key in zip(rows.tolist(), keys, strict=True):
        if key not in known:
            known[key] = _room(gang, limits, uid_hash(trial.snapshot.workers[row].uid))
    return [known[key] for key in keys]


def _room(gang: GangPlanner, limits: Limits, uid: int) -> int:
    """How many members the worker holds by itself."""
    only = replace(limits, affordable=np.array([uid], np.int64))
    alone = Trial(gang.state, gang.sized, gang.held, 1, reasons=False, limits=only)
    return len(alone.place(gang.desired))


def cheapest(
    prices: Sequence[float],
    rooms: Sequence[int],
    wanted: int,
    limit: float,
    lent: Collection[int] = (),
    most_lent: int = 0,
) -> list[int]:
    """The places of the workers that hold most members up to `wanted` within the limit, and of those the cheapest.

    Workers at the places `lent` hold at most `most_lent` members together. Exact: the least cost of every number of
    members, worker by worker, then every division of the members between lent workers and the others.
    """
    workers = [(place, price, room) for place, (price, room) in enumerate(zip(prices, rooms, strict=True))]
    ours = _least((each for each in workers if each[0] not in lent), wanted, limit)
    theirs = _least((each for each in workers if each[0] in lent), max(0, min(wanted, most_lent)), limit)
    divided = (
        (here + there, -(ours[here][0] + theirs[there][0]), (*ours[here][1], *theirs[there][1]))
        for there in theirs
        for here in ours
        if here + there <= wanted and ours[here][0] + theirs[there][0] <= limit
    )
    return sorted(max(divided, key=lambda each: each[:2])[2])


def _least(
    workers: Iterable[tuple[int, float, int]], wanted: int, limit: float
) -> dict[int, tuple[float, tuple[int, ...]]]:
    """By number of members the lowest cost, and the places of the workers that hold them."""
    least: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for place, price, room in workers:
        for members in range(wanted, 0, -1):
            for held in range(1, min(room, members) + 1):
                former = least.get(members - held)
                if former is None or former[0] + price > limit:
                    continue
                now = least.get(members)
                if now is None or former[0] + price < now[0]:
                    least[members] = (former[0] + price, (*former[1], place))
    return least

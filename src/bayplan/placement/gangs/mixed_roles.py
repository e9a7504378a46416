"""Members of different shapes: what each worker can hold of them, added up so that most members find a place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING

from bayplan.cluster.workload import SAME_USD_PER_HOUR
from bayplan.placement.constraints.cost_sum import limit_of
from bayplan.placement.gangs.arrangement import Arrangement
from bayplan.placement.gangs.equal_workers import Equals
from bayplan.placement.gangs.even_sums import Domain, most_even
from bayplan.placement.gangs.member_sums import Caps, Sum, WorkerOffer, most
from bayplan.placement.gangs.trial import Trial, members_of
from bayplan.placement.gangs.worker_capacity import OneWorker, question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.gang_planner import GangPlanner
    from bayplan.placement.gangs.member_numbers import Numbers
    from bayplan.placement.gangs.trial import Limits
    from bayplan.placement.gangs.worker_capacity import Holds, Steps

MOST_WORKERS = 32
MOST_MEMBERS = 200
"""Workers and members up to which a search is tried: sums grow with both, and beyond that it would not finish."""


def search_mixed(gang: GangPlanner, limits: Limits, found: int) -> tuple[Arrangement | None, bool]:
    """An arrangement of more members than `found`, or None; and whether it is proven that no better one exists.

    Proven only for few workers, if the allowed steps suffice to find all that each of them can hold.
    """
    trial = _fresh(gang, limits)
    wanted = _alike_together(trial)
    rows = sorted({row for role, _ in wanted for row in trial.rows_of(role).tolist()})
    many = sum(missing for _, missing in wanted) > MOST_MEMBERS
    if many or len(rows) > MOST_WORKERS:
        return None, False
    floor = max(found, gang.minimum - 1)  # what has to be beaten: fewer members than the minimum are no answer
    if _bound(gang, limits, wanted) <= floor:
        return None, True
    holds = _holds(trial, wanted, rows, gang.steps)
    best, whole = _most(trial, tuple(missing for _, missing in wanted), rows, holds, gang.desired)
    spans = any(ask.spans for role, _ in wanted for ask in trial.asked(role, 1).asks)
    exact = whole and not gang.steps.cut_off and not spans
    if min(best.total, gang.desired) <= floor:
        return None, exact
    return _arranged(_fresh(gang, limits), wanted, holds, _cut(best, gang.desired), gang.desired), exact


def _alike_together(trial: Trial) -> list[tuple[SizedRole, int]]:
    """The missing members, with all roles of one shape counted as the first of them, because they are equal."""
    first: dict[Shape, tuple[SizedRole, int]] = {}
    for role, missing in trial.missing():
        if missing:
            known, there = first.get(role.shape, (role, 0))
            first[role.shape] = known, there + missing
    return list(first.values())


def _fresh(gang: GangPlanner, limits: Limits) -> Trial:
    """A new try in the order of the document, so that the first roles come first."""
    state, sized, held = gang.state, gang.sized, gang.held
    return Trial(state, sized, held, gang.minimum, reasons=False, limits=replace(limits, order=None))


def _bound(gang: GangPlanner, limits: Limits, wanted: Sequence[tuple[SizedRole, int]]) -> int:
    """An upper bound of the members that fit: each role counted as if it were alone, and not spread over domains."""
    bound, workload = 0, replace(gang.sized.workload, spread_over=None)
    for role, missing in wanted:
        alone = replace(
            gang,
            sized=replace(gang.sized, workload=workload, roles=(replace(role, replicas=missing),)),
        )
        trial = _fresh(alone, limits)
        (ask, *others) = trial.asked(role, 1).asks
        is_counted = not (others or ask.spans or len(ask.shapes) > 1 or limit_of((ask,)) is not None)
        bound += len(trial.place(missing)) if is_counted and not gang.held else missing
    return bound


def _holds(
    trial: Trial, wanted: Sequence[tuple[SizedRole, int]], rows: Sequence[int], steps: Steps
) -> Mapping[int, Mapping[Numbers, Holds]]:
    """What each worker can hold; equal workers can hold the same."""
    equals = Equals(trial, [ask for role, _ in wanted for ask in trial.asked(role, 1).asks])
    known: dict[bytes, Mapping[Numbers, Holds]] = {}
    found = {}
    for row, key in zip(rows, equals.keys(rows), strict=True):
        if key not in known:
            known[key] = OneWorker(trial, wanted, row, steps).found()
        found[row] = known[key]
    return found


def _most(
    trial: Trial,
    missing: Numbers,
    rows: Sequence[int],
    holds: Mapping[int, Mapping[Numbers, Holds]],
    desired: int,
) -> tuple[Sum, bool]:
    """The numbers over the workers that make most members, and whether all were looked at."""
    budgets = {limit_of(trial.asked(each, 1).asks) for each in trial.sized.roles}
    limit = min((each for each in budgets if each is not None), default=inf) + SAME_USD_PER_HOUR
    spent = trial.constraints.spending.view(())
    share = trial.constraints.on_spot.view(()) if trial.constraints.on_spot.applies(()) else None
    start = Sum((0,) * len(missing), spent.usd_per_hour, share.there if share else 0)
    # Bookings beyond a limit stay, and members may still go to workers that cost nothing more.
    limit = max(limit, spent.usd_per_hour)
    caps = Caps(missing, limit, max(share.most, share.there) if share else inf)
    offers = []
    for row in rows:
        worker = trial.snapshot.workers[row]
        is_spot = worker.spot and share is not None
        offers.append(WorkerOffer(row, list(holds[row]), spent.price(worker), is_spot))
    domains = _domains(trial, offers)
    found, whole = most(start, offers, caps) if domains is None else most_even(start, domains, desired, caps)
    return found, whole and len(budgets) == 1  # roles with different budgets share one sum here, which proves nothing


def _domains(trial: Trial, offers: Sequence[WorkerOffer]) -> list[Domain] | None:
    """The offers by domain, where members are spread over some: only domains that count take any."""
    spread = trial.constraints.spread
    if spread is None:
        return None
    counts = spread.view(()).counts
    return [
        Domain(int(counts[number]), [offer for offer in offers if spread.domain_of(offer.row) == number])
        for number in spread.domains.tolist()
    ]


def _cut(best: Sum, desired: int) -> Sequence[tuple[int, Numbers]]:
    """What each worker holds if only `desired` members are placed: members of the last roles are left out."""
    surplus, of_workers = best.total - desired, [(row, list(held)) for row, held in best.of_workers]
    for kind in reversed(range(len(best.members))):
        for _, held in reversed(of_workers):
            less = max(0, min(surplus, held[kind]))
            held[kind] -= less
            surplus -= less
    return [(row, tuple(held)) for row, held in of_workers]


def _arranged(
    trial: Trial,
    wanted: Sequence[tuple[SizedRole, int]],
    holds: Mapping[int, Mapping[Numbers, Holds]],
    of_workers: Sequence[tuple[int, Numbers]],
    desired: int,
) -> Arrangement:
    """The members as replicas, numbered in the order of their roles."""
    taken = {booking.replica for booking in trial.held}
    free = (number for number in range(len(taken) + MOST_MEMBERS) if number not in taken)
    totals = [sum(each) for each in zip(*(held for _, held in of_workers), strict=True)]
    queues = _queues(trial, wanted, totals, free)
    placed: list[Replica] = []
    for row, held in of_workers:
        for kind, way in holds[row][held]:
            role, number = queues[kind].pop(0)
            asked = question(trial, role, number, way.ask)
            score = asked.evaluator.totals(way.narrowed(trial, row), asked.cycle).total(row)[-1]
            value, values = way.placed(trial, row, asked)
            placed.append(trial.take(role, number, value, score, values))
    there = Counter(each.role.name for each in placed)
    for role, missing in trial.missing():
        trial.blocked += members_of(trial.sized.workload, role, missing - there[role.name])
    return Arrangement(trial, sorted(placed, key=attrgetter("index")), desired)


def _queues(
    trial: Trial, wanted: Sequence[tuple[SizedRole, int]], totals: Sequence[int], free: Iterator[int]
) -> list[list[tuple[SizedRole, int]]]:
    """By shape, the roles of the members that are placed and their numbers; the first roles of a shape come first."""
    queues = []
    for (one, _), total in zip(wanted, totals, strict=True):
        alike = [each for each, missing in trial.missing() if each.shape == one.shape for _ in range(missing)]
        queues.append([(role, next(free)) for role in alike[:total]])
    return queues

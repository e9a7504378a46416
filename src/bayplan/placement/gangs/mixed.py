"""Members of different shapes: what each worker can hold of them, put together so that most find a place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING

from bayplan.cluster.worker import uid_hash
from bayplan.cluster.workload import SAME_USD_PER_HOUR
from bayplan.placement.gangs.arranged import Arranged
from bayplan.placement.gangs.equals import Equals
from bayplan.placement.gangs.even_sums import Domain, most_even
from bayplan.placement.gangs.one_worker import OneWorker, put
from bayplan.placement.gangs.sums import Caps, Offer, Sum, most
from bayplan.placement.search import Search, members_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.placement.gangs.arranging import Arranging
    from bayplan.placement.gangs.numbers import Numbers
    from bayplan.placement.gangs.one_worker import Holds, Steps
    from bayplan.placement.plans import Member, Replica
    from bayplan.placement.search import Limits

MOST_WORKERS = 32
MOST_MEMBERS = 200


def search_mixed(arranging: Arranging, limits: Limits, found: int) -> tuple[Arranged | None, bool]:
    """An arrangement of more members than `found`, and whether that there is none (or no better one) is proven.

    Exact while few workers come into question, and some hundred steps suffice to know what each of them can hold.
    """
    search = _fresh(arranging, limits)
    wanted = _alike_together(search)
    rows = sorted({row for member, _ in wanted for row in search.rows_of(member).tolist()})
    many = sum(missing for _, missing in wanted) > MOST_MEMBERS
    if many or len(rows) > MOST_WORKERS:
        return None, False
    floor = max(found, arranging.minimum - 1)
    if _bound(arranging, limits, wanted) <= floor:
        return None, True
    holds = _holds(search, wanted, rows, arranging.steps)
    best, whole = _most(search, tuple(missing for _, missing in wanted), rows, holds, arranging.desired)
    spans = any(ask.spans for member, _ in wanted for ask in search.asked(member, 1).asks)
    exact = whole and not arranging.steps.cut_off and not spans
    if min(best.total, arranging.desired) <= floor:
        return None, exact
    return _arranged(_fresh(arranging, limits), wanted, holds, _cut(best, arranging.desired)), exact


def _alike_together(search: Search) -> list[tuple[Member, int]]:
    """Who is missing, roles of one shape as one, which the first of them stands for: nobody could tell them apart."""
    first: dict[Shape, tuple[Member, int]] = {}
    for member, missing in search.missing():
        if missing:
            known, there = first.get(member.sized.shape, (member, 0))
            first[member.sized.shape] = known, there + missing
    return list(first.values())


def _fresh(arranging: Arranging, limits: Limits) -> Search:
    """In the order of the document, so that the first roles come first."""
    planner, request, held = arranging.planner, arranging.request, arranging.held
    return Search(planner, request, held, arranging.minimum, reasons=False, limits=replace(limits, order=None))


def _bound(arranging: Arranging, limits: Limits, wanted: Sequence[tuple[Member, int]]) -> int:
    """No more members fit than would if the roles did not stand in each other's way, nor in each other's domains."""
    bound, workload = 0, replace(arranging.request.workload, spread_over=None)
    for member, missing in wanted:
        alone = replace(
            arranging,
            request=replace(arranging.request, workload=workload, members=(replace(member, replicas=missing),)),
        )
        search = _fresh(alone, limits)
        (ask, *others) = search.asked(member, 1).asks
        is_counted = not (others or ask.spans or len(ask.shapes) > 1 or ask.max_usd_per_hour is not None)
        bound += len(search.place(missing)) if is_counted and not arranging.held else missing
    return bound


def _holds(
    search: Search, wanted: Sequence[tuple[Member, int]], rows: Sequence[int], steps: Steps
) -> Mapping[int, Mapping[Numbers, Holds]]:
    """What each worker can hold; equal workers can hold the same."""
    equals = Equals(search, [ask for member, _ in wanted for ask in search.asked(member, 1).asks])
    known: dict[bytes, Mapping[Numbers, Holds]] = {}
    found = {}
    for row, key in zip(rows, equals.keys(rows), strict=True):
        if key not in known:
            known[key] = OneWorker(search, wanted, row, steps).found()
        found[row] = known[key]
    return found


def _most(
    search: Search,
    missing: Numbers,
    rows: Sequence[int],
    holds: Mapping[int, Mapping[Numbers, Holds]],
    desired: int,
) -> tuple[Sum, bool]:
    """The numbers over the workers that make most members, and whether all were looked at."""
    prices = {ask.max_usd_per_hour for each in search.request.members for ask in search.asked(each, 1).asks}
    limit = min((each for each in prices if each is not None), default=inf) + SAME_USD_PER_HOUR
    subject = search.subject(0, ())
    share, paid = subject.on_spot, set(subject.used.tolist())
    start = Sum((0,) * len(missing), subject.spent_usd_per_hour, share.there if share else 0)
    # What is booked beyond a limit stays, and others may stand where that takes nothing more.
    limit = max(limit, subject.spent_usd_per_hour)
    caps = Caps(missing, limit, max(share.most, share.there) if share else inf)
    offers = []
    for row in rows:
        worker = search.snapshot.workers[row]
        price = 0.0 if uid_hash(worker.uid) in paid else worker.usd_per_hour or 0.0
        offers.append(Offer(row, list(holds[row]), price, worker.spot and share is not None))
    domains = _domains(search, offers)
    found, whole = most(start, offers, caps) if domains is None else most_even(start, domains, desired, caps)
    return found, whole and len(prices) == 1


def _domains(search: Search, offers: Sequence[Offer]) -> list[Domain] | None:
    """The offers by domain, where members are spread over some: only domains that count take any."""
    balances = search.balances
    if balances is None:
        return None
    counts = balances.now().counts
    return [
        Domain(int(counts[number]), [offer for offer in offers if balances.domain_of(offer.row) == number])
        for number in balances.domains.tolist()
    ]


def _cut(best: Sum, desired: int) -> Sequence[tuple[int, Numbers]]:
    """What each worker holds once no more than that are placed: the last roles go without."""
    surplus, of_workers = best.total - desired, [(row, list(held)) for row, held in best.of_workers]
    for role in reversed(range(len(best.members))):
        for _, held in reversed(of_workers):
            less = max(0, min(surplus, held[role]))
            held[role] -= less
            surplus -= less
    return [(row, tuple(held)) for row, held in of_workers]


def _arranged(
    search: Search,
    wanted: Sequence[tuple[Member, int]],
    holds: Mapping[int, Mapping[Numbers, Holds]],
    of_workers: Sequence[tuple[int, Numbers]],
) -> Arranged:
    """The members as replicas, numbered in the order of their roles."""
    taken = {booking.replica for booking in search.held}
    free = (number for number in range(len(taken) + MOST_MEMBERS) if number not in taken)
    totals = [sum(each) for each in zip(*(held for _, held in of_workers), strict=True)]
    queues = _queues(search, wanted, totals, free)
    placed: list[Replica] = []
    for row, held in of_workers:
        for role, way in holds[row][held]:
            member, number = queues[role].pop(0)
            asked = put(search, member, number, way.ask)
            score = asked.evaluator.totals(way.narrowed(search, row), asked.cycle).total(row)[-1]
            value, values = way.placed(search, row, asked)
            placed.append(search.take(member, number, value, score, values))
    there = Counter(each.role for each in placed)
    for member, missing in search.missing():
        search.blocked += members_of(search.request.workload, member, missing - there[member.role])
    return Arranged(search, sorted(placed, key=attrgetter("index")))


def _queues(
    search: Search, wanted: Sequence[tuple[Member, int]], totals: Sequence[int], free: Iterator[int]
) -> list[list[tuple[Member, int]]]:
    """By shape, who is placed and under which number: of the roles of that shape the first ones."""
    queues = []
    for (one, _), total in zip(wanted, totals, strict=True):
        alike = [
            each for each, missing in search.missing() if each.sized.shape == one.sized.shape for _ in range(missing)
        ]
        queues.append([(member, next(free)) for member in alike[:total]])
    return queues

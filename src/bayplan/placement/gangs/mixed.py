"""Members of different shapes on few workers: a bounded search through all their arrangements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.framework.cycle import Cycle
from bayplan.placement.gangs.arranged import Arranged
from bayplan.placement.gangs.card_ways import CardWays
from bayplan.placement.gangs.equals import Equals
from bayplan.placement.search import Search, members_of
from bayplan.placement.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.ask import Ask
    from bayplan.placement.gangs.arranging import Arranging
    from bayplan.placement.placed import Placed
    from bayplan.placement.plans import Member, Replica
    from bayplan.placement.search import Limits

MOST_WORKERS = 8
MOST_MEMBERS = 200
MOST_STEPS = 4000


class Choice(NamedTuple):
    """One way to place a member; `ask` is what was put to the worker (None: what the member asks)."""

    row: int
    placed: Placed
    values: Any
    ask: Ask | None = None


class Put(NamedTuple):
    """What a member asks, of whom, and in which cycle."""

    ask: Ask
    evaluator: Any
    cycle: Cycle


def search_mixed(arranging: Arranging, limits: Limits, found: int) -> tuple[Arranged | None, bool]:
    """An arrangement of more members than `found`, and whether that there is none (or no better one) is proven.

    Exact for up to MOST_WORKERS workers, as long as MOST_STEPS placements suffice to try all arrangements. Members
    that are spread over domains are placed in one order only, which proves nothing.
    """

    def fresh() -> Search:
        planner, request, held = arranging.planner, arranging.request, arranging.held
        return Search(planner, request, held, arranging.minimum, reasons=False, limits=limits)

    search = fresh()
    if not _is_bounded(search):
        return None, False
    looking = _Looking(search, arranging.desired, max(found, arranging.minimum - 1))
    looking.look(0, None)
    exact = looking.exact and arranging.request.workload.spread_over is None
    if looking.best is None:
        return None, exact
    final = fresh()
    placed = [_taken(final, *each) for each in looking.best]
    final.blocked = looking.left_out()
    return Arranged(final, placed), exact


def _taken(search: Search, member: Member, number: int, choice: Choice) -> Replica:
    put = _put(search, member, number)
    ask = choice.ask or put.ask
    score = put.evaluator.totals(ask, put.cycle).total(choice.row)[-1]
    return search.take(member, number, choice.placed, score, choice.values)


def _put(search: Search, member: Member, number: int, left: int = 1) -> Put:
    shape = member.sized.shape
    ask = search.asked(member, left).asks[0]
    name = search.placer.strategy(shape.strategy)
    subject = search.subject(number, (ask,), member)
    scheduler = search.placer.scheduler(name, replace(search.extras(member, (ask,)), sample=0))
    cycle = Cycle(subject, ask, seed=search.planner.seed(number), now=search.planner.now)
    return Put(ask, scheduler.evaluator(variant_of(name, ask), search.trial), cycle)


def _is_bounded(search: Search) -> bool:
    """Whether few members and workers come into question, and every member has one tier, on one worker."""
    rows: set[int] = set()
    if sum(missing for _, missing in search.missing()) > MOST_MEMBERS:
        return False
    for member, missing in search.missing():
        asks = search.asked(member, 1).asks
        if missing and (len(asks) > 1 or asks[0].spans):
            return False
        rows.update(search.rows_of(member).tolist() if missing else ())
    return len(rows) <= MOST_WORKERS


class _Looking:
    """One search: member by member, hungriest first; equal members on rows in ascending order only."""

    def __init__(self, search: Search, desired: int, floor: int) -> None:
        self.search, self.desired, self.floor = search, desired, floor
        taken = {booking.replica for booking in search.held}
        self.members = [member for member, missing in search.missing() for _ in range(missing)]
        self.numbers = [number for number in range(len(taken) + desired) if number not in taken]
        asks = [search.asked(member, 1).asks[0] for member, missing in search.missing() if missing]
        self.ways = CardWays(search, asks)
        self.equals = Equals(search, asks)
        self.held: list[tuple[Member, int, Choice]] = []
        self.best: list[tuple[Member, int, Choice]] | None = None
        self.steps = 0
        self.failed: set[tuple[int, int, int, bytes]] = set()

    @property
    def exact(self) -> bool:
        """Whether all arrangements were tried."""
        return self.steps < MOST_STEPS and not self.ways.cut_off

    def look(self, place: int, last: int | None) -> bool:
        """Place the members from this one on; True once enough are placed, or the steps are used up."""
        if place == len(self.members) or len(self.held) == self.desired:
            return self._keep()
        if len(self.held) + len(self.members) - place <= self.floor or self.steps >= MOST_STEPS:
            return self.steps >= MOST_STEPS
        key = (place, len(self.held), -1 if last is None else last, self._state())
        if key in self.failed:
            return False
        member = self.members[place]
        same = place + 1 < len(self.members) and self.members[place + 1] is member
        for choice in self._choices(place, last):
            self.steps += 1
            undo = self._take(member, choice)
            done = self.look(place + 1, choice.row if same else None)
            undo()
            if done:
                return True
        skip = next((other for other in range(place, len(self.members)) if self.members[other] is not member), None)
        if self.look(len(self.members) if skip is None else skip, None):
            return True
        self.failed.add(key)
        return False

    def _keep(self) -> bool:
        if len(self.held) > self.floor:
            self.best, self.floor = list(self.held), len(self.held)
        return len(self.held) in (self.desired, len(self.members))

    def _choices(self, place: int, last: int | None) -> Iterator[Choice]:
        """Where the member could go: the best workers first, each with the cards that it would give; then all others.

        Of workers in an equal state only the first.
        """
        member = self.members[place]
        left = sum(each is member for each in self.members[place:])
        ask, evaluator, cycle = _put(self.search, member, self.numbers[len(self.held)], left)
        rows = [row for row in evaluator.totals(ask, cycle).ranked() if last is None or row >= last]
        resolver, first = evaluator.binding.profile.resolver, {}
        for row in self.equals.first(rows):
            value, writes = resolver.resolve(ask, self.search.trial, row, cycle)
            first[row] = value
            yield Choice(row, value, writes)
        for row, value in first.items():
            for way in self.ways.ways(ask, row, cycle, resolver):
                if way.placed.bookings != value.bookings:
                    yield Choice(row, *way)

    def _take(self, member: Member, choice: Choice) -> Any:
        search, trial = self.search, self.search.trial
        before = {
            row: {name: column[0] for name, column in trial.gather(trial.schema.state, np.array([row])).items()}
            for row in choice.values
        }
        mark = search.mark()
        search.take(member, self.numbers[len(self.held)], choice.placed, 0.0, choice.values)
        self.held.append((member, self.numbers[len(self.held)], choice))

        def undo() -> None:
            self.held.pop()
            search.back_to(mark)
            for row, values in before.items():
                trial.write(row, values)

        return undo

    def _state(self) -> bytes:
        rows = np.unique(self.search.trial.touched)
        columns = self.search.trial.gather(sorted(self.search.trial.schema.state), rows)
        return rows.tobytes() + b"".join(np.ascontiguousarray(column).tobytes() for column in columns.values())

    def left_out(self) -> list[str]:
        """The names of the members that the best arrangement leaves out."""
        placed: dict[int, int] = {}
        for member, _, _ in self.best or ():
            placed[id(member)] = placed.get(id(member), 0) + 1
        names = []
        for member, missing in self.search.missing():
            short = missing - placed.get(id(member), 0)
            names += members_of(self.search.request.workload, member, short)
        return names

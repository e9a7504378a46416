"""What one worker can hold of members of different shapes, whatever the other workers hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from bayplan.cluster.columns import HELD
from bayplan.framework.cycle import Cycle
from bayplan.placement.cards.linked_sets import demands
from bayplan.placement.gangs.card_ways import CardWays, Way
from bayplan.placement.gangs.slice_ways import cut_for
from bayplan.placement.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.placement.ask import Ask
    from bayplan.placement.gangs.numbers import Numbers
    from bayplan.placement.plans import Member
    from bayplan.placement.search import Search

MOST_STEPS, FEW_STEPS = 1500, 100
"""Placements that a plan may try, some seconds of work; and one of the many attempts behind a single answer."""

Holds: TypeAlias = "tuple[tuple[int, Way], ...]"
"""Members in the order in which they are booked: the number of the role, and how it takes its cards."""

_OF_CARDS = tuple(spec.name for spec in HELD if spec.per in ("card", "slice"))
_OF_WORKER = tuple(spec.name for spec in HELD if spec.per not in ("card", "slice"))


@dataclass(slots=True)
class Steps:
    """How many placements were tried so far, over all workers and domains; `cut_off` where there were too many."""

    most: int = MOST_STEPS
    taken: int = 0
    cut_off: bool = False


class Put(NamedTuple):
    """A question, whom to ask, and the cycle in which it is put."""

    ask: Ask
    evaluator: Any
    cycle: Cycle

    @property
    def resolver(self) -> Any:
        return self.evaluator.binding.profile.resolver


def put(search: Search, member: Member, number: int, ask: Ask) -> Put:
    """The question of a member, on the trial of a search; how members are spread is looked at elsewhere."""
    name = search.placer.strategy(member.sized.shape.strategy)
    subject = search.subject(number, (ask,))
    scheduler = search.placer.scheduler(name, replace(search.extras(member, (ask,)), sample=0, spread=None))
    cycle = Cycle(subject, ask, seed=search.planner.seed(number), now=search.planner.now)
    return Put(ask, scheduler.evaluator(variant_of(name, ask), search.trial), cycle)


class OneWorker:
    """Tries all that a worker can hold, member by member, role by role: who fits with others fits without them."""

    def __init__(self, search: Search, wanted: Sequence[tuple[Member, int]], row: int, steps: Steps) -> None:
        self._search, self._wanted, self._row, self._steps = search, wanted, row, steps
        asks = [ask for member, _ in wanted for ask in search.asked(member, 1).asks]
        self._ways = CardWays(search, asks)
        self._linked = any(demands(ask) for ask in asks)
        self._held: list[tuple[int, Way]] = []
        self._found: dict[Numbers, Holds] = {}
        self._seen: set[tuple[Numbers, tuple[bytes, ...]]] = set()

    def found(self) -> Mapping[Numbers, Holds]:
        """For each number of members of each role that the worker can hold at once, how."""
        if self._cut_slices():
            return self._found
        self._look((0,) * len(self._wanted), 0)
        self._steps.cut_off |= self._ways.cut_off
        return self._found

    def _cut_slices(self) -> bool:
        """Whether slices alone decide what the worker holds: then what they can be cut into is counted, not tried."""
        asks = [self._search.asked(member, missing).asks for member, missing in self._wanted]
        if any(len(each) != 1 for each in asks):
            return False
        largest = cut_for(
            self._search, [ask for (ask,) in asks], tuple(missing for _, missing in self._wanted), self._row
        )
        if largest is None or not all(map(self._is_free, largest.values())):
            return False
        for numbers, held in largest.items():
            for fewer in product(*(range(number + 1) for number in numbers)):
                self._found.setdefault(fewer, _first(held, fewer))
        return True

    def _is_free(self, held: Holds) -> bool:
        """Whether the worker takes all of these, one after the other."""
        search, mark, before, fits = self._search, self._search.mark(), self._row_now(), True
        for role, way in held:
            member = self._wanted[role][0]
            asked = put(search, member, 0, way.ask)
            fits = asked.evaluator.totals(way.ask, asked.cycle).taken(self._row) is not None
            if not fits:
                break
            value, values = way.placed(search, self._row, asked)
            search.take(member, 0, value, 0.0, values)
        search.back_to(mark)
        search.trial.write(self._row, before)
        return fits

    def _row_now(self) -> dict[str, Any]:
        trial = self._search.trial
        return {name: column[0] for name, column in trial.gather(trial.schema.state, np.array([self._row])).items()}

    def _look(self, numbers: Numbers, first: int) -> None:
        self._found.setdefault(numbers, tuple(self._held))
        for role in range(first, len(numbers)):
            if numbers[role] == self._wanted[role][1]:
                continue
            more = (*numbers[:role], numbers[role] + 1, *numbers[role + 1 :])
            for asked, way in self._choices(role, numbers[role]):
                if self._steps.taken >= self._steps.most:
                    self._steps.cut_off = True
                    return
                self._steps.taken += 1
                self._try(role, asked, way, more)

    def _choices(self, role: int, held: int) -> Iterator[tuple[Put, Way]]:
        """The cards that the worker would give, then all others that it could."""
        member, missing = self._wanted[role]
        for ask in self._search.asked(member, missing - held).asks:
            if ask.spans:
                continue
            asked = put(self._search, member, 0, ask)
            if asked.evaluator.totals(ask, asked.cycle).taken(self._row) is not None:
                yield asked, Way(ask)
                for way in self._ways.ways(ask, self._row):
                    yield asked, way

    def _try(self, role: int, asked: Put, way: Way, more: Numbers) -> None:
        search, before = self._search, self._row_now()
        mark = search.mark()
        value, values = way.placed(search, self._row, asked)
        search.take(self._wanted[role][0], 0, value, 0.0, values)
        state = (more, self._state())
        if state not in self._seen:
            self._seen.add(state)
            self._held.append((role, way))
            self._look(more, role)
            self._held.pop()
        search.back_to(mark)
        search.trial.write(self._row, before)

    def _state(self) -> tuple[bytes, ...]:
        """What the worker holds; which of its cards hold what matters only where they are linked."""
        columns = self._search.trial.gather((*_OF_WORKER, *_OF_CARDS), np.array([self._row]))
        host = b"".join(columns[name][0].tobytes() for name in _OF_WORKER)
        alike = self._ways.fixed(self._row)
        cards = [
            b"".join((alike[place], *(columns[name][0][place].tobytes() for name in _OF_CARDS)))
            for place in range(len(alike))
        ]
        return (host, *(cards if self._linked else sorted(cards)))


def _first(held: Holds, numbers: Numbers) -> Holds:
    """So many of each role, the first ones."""
    left, kept = list(numbers), []
    for role, way in held:
        if left[role]:
            left[role] -= 1
            kept.append((role, way))
    return tuple(kept)

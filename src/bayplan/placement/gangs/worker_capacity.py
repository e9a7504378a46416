"""What one worker can hold of members of different shapes, whatever the other workers hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from bayplan.cluster.columns import HELD
from bayplan.framework.cycle import Cycle
from bayplan.placement.cards.linked.linked_sets import demands
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.card_choices import CardChoice, CardChoices
from bayplan.placement.gangs.instance_choices import cut_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.gangs.member_numbers import Numbers
    from bayplan.placement.gangs.trial import Trial

MOST_STEPS, FEW_STEPS = 1500, 100
"""Placements that a plan may try, some seconds of work; fewer for attempts, of which one answer makes many."""

Holds: TypeAlias = "tuple[tuple[int, CardChoice], ...]"
"""Members in the order in which they are booked: the number of the role, and how it takes its cards."""

_OF_CARDS = tuple(spec.name for spec in HELD if spec.per in ("card", "slice"))
_OF_WORKER = tuple(spec.name for spec in HELD if spec.per not in ("card", "slice"))


@dataclass(slots=True)
class Steps:
    """How many placements were tried so far, over all workers and domains; `cut_off` where there were too many."""

    most: int = MOST_STEPS
    taken: int = 0
    cut_off: bool = False


class Question(NamedTuple):
    """An ask, the evaluator that answers it, and the cycle in which it is asked."""

    ask: Ask
    evaluator: Any
    cycle: Cycle

    @property
    def resolver(self) -> Any:
        return self.evaluator.binding.profile.resolver


def question(trial: Trial, role: SizedRole, number: int, ask: Ask) -> Question:
    """The question of a member on the trial of a search; `spreadOver` is kept by the sums over workers instead."""
    name = trial.strategies.strategy(role.shape.strategy)
    subject = trial.subject(number, (ask,), spread=False)
    # a sample could leave this worker out
    scheduler = trial.strategies.scheduler(name, replace(tuning_of(role.shape), sample=0))
    cycle = Cycle(subject, ask, seed=trial.state.seed(number), now=trial.state.now)
    return Question(ask, scheduler.evaluator(variant_of(name, ask), trial.table), cycle)


class OneWorker:
    """Tries all that a worker can hold, member by member, role by role: members that fit with others fit alone."""

    def __init__(self, trial: Trial, wanted: Sequence[tuple[SizedRole, int]], row: int, steps: Steps) -> None:
        self._trial, self._wanted, self._row, self._steps = trial, wanted, row, steps
        asks = [ask for role, _ in wanted for ask in trial.asked(role, 1).asks]
        self._ways = CardChoices(trial, asks)
        self._linked = any(demands(ask) for ask in asks)
        self._held: list[tuple[int, CardChoice]] = []
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
        """Count what the slices can be cut into, instead of trying; False where slices alone do not decide."""
        asks = [self._trial.asked(role, missing).asks for role, missing in self._wanted]
        if any(len(each) != 1 for each in asks):
            return False
        largest = cut_for(
            self._trial, [ask for (ask,) in asks], tuple(missing for _, missing in self._wanted), self._row
        )
        if largest is None or not all(map(self._is_free, largest.values())):
            return False
        for numbers, held in largest.items():
            for fewer in product(*(range(number + 1) for number in numbers)):
                self._found.setdefault(fewer, _first(held, fewer))
        return True

    def _is_free(self, held: Holds) -> bool:
        """Whether the worker takes all of these, one after the other."""
        trial, before, fits = self._trial, self._trial.checkpoint(self._row), True
        for kind, way in held:
            role = self._wanted[kind][0]
            asked = question(trial, role, 0, way.ask)
            fits = asked.evaluator.totals(way.ask, asked.cycle).taken(self._row) is not None
            if not fits:
                break
            value, values = way.placed(trial, self._row, asked)
            trial.take(role, 0, value, 0.0, values)
        trial.back_to(before)
        return fits

    def _look(self, numbers: Numbers, first: int) -> None:
        self._found.setdefault(numbers, tuple(self._held))
        for kind in range(first, len(numbers)):  # roles in order only: another order adds no new set of members
            if numbers[kind] == self._wanted[kind][1]:
                continue
            more = (*numbers[:kind], numbers[kind] + 1, *numbers[kind + 1 :])
            for asked, way in self._choices(kind, numbers[kind]):
                if self._steps.taken >= self._steps.most:
                    self._steps.cut_off = True
                    return
                self._steps.taken += 1
                self._try(kind, asked, way, more)

    def _choices(self, kind: int, held: int) -> Iterator[tuple[Question, CardChoice]]:
        """The cards that the worker would give, then all others that it could."""
        role, missing = self._wanted[kind]
        for ask in self._trial.asked(role, missing - held).asks:
            if ask.spans:
                continue
            asked = question(self._trial, role, 0, ask)
            if asked.evaluator.totals(ask, asked.cycle).taken(self._row) is not None:
                yield asked, CardChoice(ask)
                for way in self._ways.ways(ask, self._row):
                    yield asked, way

    def _try(self, kind: int, asked: Question, way: CardChoice, more: Numbers) -> None:
        trial, before = self._trial, self._trial.checkpoint(self._row)
        value, values = way.placed(trial, self._row, asked)
        trial.take(self._wanted[kind][0], 0, value, 0.0, values)
        state = (more, self._state())
        if state not in self._seen:
            self._seen.add(state)
            self._held.append((kind, way))
            self._look(more, kind)
            self._held.pop()
        trial.back_to(before)

    def _state(self) -> tuple[bytes, ...]:
        """What the worker holds; which of its cards hold what matters only where they are linked."""
        columns = self._trial.table.gather((*_OF_WORKER, *_OF_CARDS), np.array([self._row]))
        host = b"".join(columns[name][0].tobytes() for name in _OF_WORKER)
        alike = self._ways.fixed(self._row)
        cards = [
            b"".join((alike[place], *(columns[name][0][place].tobytes() for name in _OF_CARDS)))
            for place in range(len(alike))
        ]
        return (host, *(cards if self._linked else sorted(cards)))


def _first(held: Holds, numbers: Numbers) -> Holds:
    """The first members of each role, as many as `numbers` says."""
    left, kept = list(numbers), []
    for kind, way in held:
        if left[kind]:
            left[kind] -= 1
            kept.append((kind, way))
    return tuple(kept)

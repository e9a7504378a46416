"""Two changes at once, for workloads that no single one makes fit."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.placement.answers.changes.change import Change, TakenStep
from bayplan.placement.answers.changes.climbing import before, mildest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.oracle import Oracle

MOST_PAIRS = 3


def pairs(oracle: Oracle, case: Case, ladders: Sequence[Ladder]) -> Iterator[Change]:
    """Pairs that fit with the strongest step of both, each then made as mild as the other allows; at most three."""
    climbable = [ladder for ladder in ladders if ladder.monotone and not ladder.partly and len(ladder.steps)]
    if not _helps(oracle, case, climbable):
        return
    found = 0
    for first, second in combinations(climbable, 2):
        if _helps(oracle, case, (first, second)) and (change := _softened(oracle, case, first, second)):
            yield change
            found += 1
        if found == MOST_PAIRS:
            return


def _helps(oracle: Oracle, case: Case, ladders: Sequence[Ladder]) -> bool:
    """Whether the strongest steps of all of these do: where everything at once does not, no two of them can."""
    changed = _strongest(case, ladders)
    return changed is not None and oracle.fits(changed)


def _strongest(case: Case, ladders: Sequence[Ladder]) -> Case | None:
    try:
        for ladder in ladders:
            case = ladder.apply(case, ladder.steps[-1])
    except InputError:
        return None
    return case


def _softened(oracle: Oracle, case: Case, first: Ladder, second: Ladder) -> Change | None:
    there = second.apply(case, second.steps[-1])
    found = mildest(oracle, there, first)
    if found is None:
        return None
    here = first.apply(case, first.steps[found[0]])
    last = mildest(oracle, here, second)
    if last is None:
        return None
    number, plan = last
    taken = (TakenStep(first, found[0]), TakenStep(second, number))
    changed = second.apply(here, second.steps[number])
    return Change(taken, changed, plan, before(oracle, here, second, number))

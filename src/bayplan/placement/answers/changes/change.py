"""A change that was planned with, and the next milder one that does not do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.planning.plan import Plan, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class TakenStep:
    """A step of a ladder."""

    ladder: Ladder
    number: int

    @property
    def step(self) -> Any:
        return self.ladder.steps[self.number]

    @property
    def milder(self) -> Any:
        """The step before, as documents write it; how things are now where there is none."""
        return self.ladder.shown(self.ladder.steps[self.number - 1]) if self.number else self.ladder.before


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One step, or one of each of two ladders; `milder` is the verdict of the case with the last of them one less."""

    taken: tuple[TakenStep, ...]
    case: Case
    plan: Plan
    milder: Verdict

    @property
    def kind(self) -> str:
        return " and ".join(each.ladder.change for each in self.taken)

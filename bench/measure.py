"""CPU time, best of interleaved rounds, and the rows that come of it."""

from __future__ import annotations

import gc
import operator
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Any]

OPERATORS = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `baseline` is what a peer reached in the same run, or the figure before the step that set the goal.

    Without a goal a row only informs.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    op: str | None = None
    baseline: float | None = None

    def __post_init__(self) -> None:
        if (self.goal is None) is not (self.op is None) or self.op not in (None, *OPERATORS):
            raise ValueError(f"{self.name}: a goal needs one of {', '.join(OPERATORS)} beside it")

    @property
    def met(self) -> bool | None:
        if self.goal is None or self.op is None:
            return None
        return bool(OPERATORS[self.op](self.value, self.goal))

    @property
    def ratio(self) -> float | None:
        return self.value / self.baseline if self.baseline else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "goal": self.goal,
            "op": self.op,
            "met": self.met,
            "baseline": self.baseline,
            "ratio": self.ratio,
        }


def interleaved(variants: Mapping[str, Callable[[], Work]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of each variant, over rounds in which each runs once.

    A variant is prepared outside the clock and hands back the work that is timed. Taking turns spreads whatever else
    the machine does over all of them, so that ratios hold even where absolute figures drift. The garbage collector
    stays on, because it stays on for users; it runs before each turn, so that no variant pays for another's garbage.
    """
    best = dict.fromkeys(variants, float("inf"))
    for _ in range(rounds):
        for name, prepare in variants.items():
            best[name] = min(best[name], cpu_seconds(prepare()))
    return best


def cpu_seconds(work: Work) -> float:
    """The CPU seconds of one call."""
    gc.collect()
    begin = time.process_time()
    work()
    return time.process_time() - begin

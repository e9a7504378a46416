"""Verdicts that follow from unknown facts: which facts are missing, and on which workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.rejections import NOT_KNOWN
from bayplan.placement.planning.plan import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that is missing, and the workers that cannot be judged without it."""

    fact: str
    workers: tuple[str, ...]

    @property
    def what(self) -> str:
        return NOT_KNOWN[self.fact].what

    @property
    def next(self) -> str:
        return NOT_KNOWN[self.fact].next

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {"fact": self.fact, "what": self.what, "workers": list(self.workers), "next": self.next}


def unknowns(verdict: Verdict, facts: Mapping[str, Iterable[str]]) -> tuple[Unknown, ...]:
    """The facts that are missing to judge an infeasible workload; `facts` lists them for each worker.

    With the fact told the worker might hold the workload, so that *infeasible* follows from what is not known.
    """
    if verdict is not Verdict.INFEASIBLE:
        return ()
    found: dict[str, list[str]] = {}
    for worker, lacking in facts.items():
        for fact in lacking:
            found.setdefault(fact, []).append(worker)
    return tuple(Unknown(fact, tuple(workers)) for fact, workers in found.items())

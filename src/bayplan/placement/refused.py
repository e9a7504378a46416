"""Why a replica went nowhere: each worker with every check that it failed, over all tiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.evaluation.explain import Explanation
    from bayplan.framework.outcome import Outcome
    from bayplan.framework.reasons import Rejection


@dataclass(frozen=True, slots=True)
class Summary:
    """One code over the whole cluster."""

    code: str
    workers: int
    curable: bool
    message: str


class Refused:
    """By worker, each code once: what the tier said that came nearest. Worked out when somebody looks.

    `beside` is what speaks against the workload on any worker.
    """

    def __init__(self, explanations: Sequence[Explanation] = (), beside: Sequence[Summary] = ()) -> None:
        self._explanations, self._beside = explanations, beside

    @classmethod
    def of(cls, outcome: Outcome) -> Refused:
        """What the runs on workers said in a cycle that ended with nothing; domains are made of these workers."""
        return cls(outcome.explained())

    @cached_property
    def workers(self) -> Mapping[str, tuple[Rejection, ...]]:
        found: dict[str, dict[str, Rejection]] = {}
        for explanation in self._explanations:
            for row, rejections in explanation.rejections().items():
                mine = found.setdefault(explanation.keys[row], {})
                for rejection in rejections:
                    keep_nearest(mine, rejection)
        return {worker: tuple(codes.values()) for worker, codes in found.items()}

    def summaries(self) -> list[Summary]:
        """By code, the most frequent first; the sentence is that of the worker that came nearest."""
        by_code: dict[str, list[Rejection]] = {}
        for rejections in self.workers.values():
            for rejection in rejections:
                by_code.setdefault(rejection.code, []).append(rejection)
        found = [
            Summary(code, len(each), any(one.curable for one in each), _nearest(each).message)
            for code, each in by_code.items()
        ]
        return sorted([*self._beside, *found], key=lambda summary: (-summary.workers, summary.code))


def keep_nearest(found: dict[str, Rejection], rejection: Rejection) -> None:
    """Of two rejections of one code the one that misses by less, of equals the first; curable if either is."""
    former = found.setdefault(rejection.code, rejection)
    if former is rejection:
        return
    nearer = rejection if _miss(rejection) < _miss(former) else former
    curable = rejection.curable or former.curable
    found[rejection.code] = nearer if nearer.curable == curable else replace(nearer, curable=curable)


def _nearest(rejections: list[Rejection]) -> Rejection:
    return min(rejections, key=_miss)


def _miss(rejection: Rejection) -> float:
    short = rejection.short
    return float(short) if isinstance(short, int | float) else float("inf")

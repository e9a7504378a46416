"""Why a replica went nowhere: each worker with every check that it failed, over all tiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.outcome import Outcome
    from bayplan.framework.reasons import Rejection


@dataclass(frozen=True, slots=True)
class Summary:
    """One code over the whole cluster."""

    code: str
    workers: int
    curable: bool
    message: str


@dataclass(frozen=True, slots=True)
class Refused:
    """By worker, each code once: what the first tier that gave it said."""

    workers: Mapping[str, tuple[Rejection, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, outcome: Outcome, snapshot: Snapshot) -> Refused:
        """What the runs of a cycle that ended with nothing said."""
        found: dict[str, dict[str, Rejection]] = {}
        for explanation in outcome.explanations.values():
            if len(explanation.keys) != len(snapshot.workers):
                continue  # domains are made of workers, which were asked before
            for row, rejections in explanation.rejections().items():
                mine = found.setdefault(explanation.keys[row], {})
                for rejection in rejections:
                    mine.setdefault(rejection.code, rejection)
        return cls({worker: tuple(codes.values()) for worker, codes in found.items()})

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
        return sorted(found, key=lambda summary: (-summary.workers, summary.code))


def _nearest(rejections: list[Rejection]) -> Rejection:
    def miss(rejection: Rejection) -> float:
        short = rejection.short
        return float(short) if isinstance(short, int | float) else float("inf")

    return min(rejections, key=miss)

"""Why a replica found no place: each worker with every check that it failed, over all tiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.rejections import NOT_KNOWN, REJECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.framework.evaluation.explanation import Explanation
    from bayplan.framework.outcome import Outcome
    from bayplan.framework.reasons import Refusal, Rejection


Said = tuple[str, str]
"""A code, and the fact that it lacked."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One code over the whole cluster."""

    code: str
    workers: int
    curable: bool
    message: str
    not_known: str = ""

    @property
    def next(self) -> str:
        """What helps."""
        if self.not_known:
            return NOT_KNOWN[self.not_known].next
        known = REJECTIONS.get(self.code)
        return known.next if known else ""

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {
            "code": self.code,
            "workers": self.workers,
            "curable": self.curable,
            "message": self.message,
            "next": self.next,
        }


class Refused:
    """By worker, each code once, with the numbers of the tier that came nearest. Worked out when it is read.

    Where several facts are not known, a code is there once for each of them: all have to be told.
    `beside` are reasons that hold on every worker.
    """

    def __init__(self, explanations: Sequence[Explanation] = (), beside: Sequence[Summary] = ()) -> None:
        self._explanations, self._beside = explanations, beside
        self._summaries: list[Summary] | None = None

    @classmethod
    def of(cls, outcome: Outcome) -> Refused:
        """The refusals of a cycle that picked nothing; domains are made of workers, so runs on workers tell all."""
        return cls(outcome.explained())

    @cached_property
    def workers(self) -> Mapping[str, tuple[Rejection, ...]]:
        found: dict[str, dict[Said, Rejection]] = {}
        for explanation in self._explanations:
            for row, rejections in explanation.rejections().items():
                mine = found.setdefault(explanation.keys[row], {})
                for rejection in rejections:
                    keep_nearest(mine, rejection)
        return {worker: tuple(codes.values()) for worker, codes in found.items()}

    def summaries(self) -> list[Summary]:
        """By code, the most frequent first; the message is about the worker that came nearest."""
        if self._summaries is None:
            found = [*self._beside, *_Counting(self._explanations).summaries()]
            self._summaries = sorted(found, key=lambda summary: (-summary.workers, summary.code))
        return self._summaries

    def cures(self, events: Iterable[str]) -> frozenset[str]:
        """Those of these events after which trying again is not in vain; all of them where no run tells more."""
        if not self._explanations:
            return frozenset(events)
        return frozenset(each for each in events if any(run.could_help(each) for run in self._explanations))

    def settle(self) -> None:
        """Drop the numbers of every worker and keep the summaries: a list of many plans would need much memory."""
        self.summaries()
        _ = self.unknown
        self._explanations = ()

    @cached_property
    def unknown(self) -> Mapping[str, tuple[str, ...]]:
        """By worker, the facts without which it cannot be judged; see `facts_of`."""
        told = (refusal.reasons.not_known for each in self._explanations for refusal in each.refusals)
        if not any(each if isinstance(each, str) else any(each) for each in told):
            return {}
        found = ((worker, facts_of(rejections)) for worker, rejections in self.workers.items())
        return {worker: facts for worker, facts in found if facts}


class _Counting:
    """Codes over all runs. Equals a sum over `workers`, but makes no rejection for each worker."""

    def __init__(self, explanations: Sequence[Explanation]) -> None:
        self._codes: dict[Said, _Code] = {}
        self._turns: npt.NDArray[np.int64] = np.full(max((len(each.keys) for each in explanations), default=0), -1)
        self._turn = 0  # the next turn; -1 in `_turns` is a worker that was not refused yet
        for explanation in explanations:
            for refusal in explanation.refusals:
                self._count(refusal)

    def summaries(self) -> list[Summary]:
        return [
            Summary(name, int(code.rows.sum()), code.curable, nearest.message, nearest.not_known)
            for (name, _), code in self._codes.items()
            for nearest in (code.nearest(),)
        ]

    def _count(self, refusal: Refusal) -> None:
        rows, reasons = np.asarray(refusal.rows, np.intp), refusal.reasons
        self._take_turns(rows)
        misses, curable = reasons.misses(len(rows)), reasons.curables(len(rows))
        for said, places in reasons.said(len(rows)):
            code = self._codes.get(said)
            if code is None:
                code = self._codes[said] = _Code(len(self._turns))
            code.count(rows[places], bool(curable[places].any()))
            turns, missed = self._turns[rows[places]], misses[places]
            best = _first_of_least(missed, turns)
            code.compare((float(missed[best]), int(turns[best])), refusal, int(places[best]))

    def _take_turns(self, rows: npt.NDArray[np.intp]) -> None:
        """Number workers in the order of refusal: of workers that came equally near, the first one is named."""
        unseen = rows[self._turns[rows] < 0]
        if not len(unseen):
            return
        if (np.diff(unseen) > 0).all():  # rising, so each row stands there once: no need to look for repeats
            self._turns[unseen] = self._turn + np.arange(len(unseen))
            self._turn += len(unseen)
            return
        # sorted by row; the first places bring back the order of refusal
        fresh, first = np.unique(unseen, return_index=True)
        self._turns[fresh[np.argsort(first)]] = self._turn + np.arange(len(fresh))
        self._turn += len(fresh)


class _Code:
    """One code: the workers that gave it, and the refusal that came nearest."""

    def __init__(self, workers: int) -> None:
        self.rows: npt.NDArray[np.bool_] = np.zeros(workers, np.bool_)
        self.curable = False
        self._best: tuple[float, int] | None = None
        self._said: tuple[Refusal, int] | None = None

    def count(self, rows: npt.NDArray[np.intp], curable: bool) -> None:
        self.rows[rows] = True
        self.curable |= curable

    def compare(self, nearness: tuple[float, int], refusal: Refusal, place: int) -> None:
        if self._best is None or nearness < self._best:
            self._best, self._said = nearness, (refusal, place)

    def nearest(self) -> Rejection:
        assert self._said is not None  # noqa: S101 (a code is there because a refusal gave it)
        refusal, place = self._said
        return refusal.reasons.at(place, refusal.filter)


def _first_of_least(misses: npt.NDArray[np.float64], turns: npt.NDArray[np.int64]) -> int:
    """The place of the smallest miss; equal misses are decided by the lower turn, and NaN comes last."""
    least = np.fmin.reduce(misses)  # fmin ignores NaN unless all are NaN
    equal = np.isnan(misses) if np.isnan(least) else misses == least
    places = np.flatnonzero(equal)
    return int(places[turns[places].argmin()])


def facts_of(rejections: Iterable[Rejection]) -> tuple[str, ...]:
    """The unknown facts that decide about a worker; none if eviction could not cure its other rejections."""
    told = tuple(rejections)
    if not all(each.not_known or each.curable for each in told):
        return ()
    return tuple(dict.fromkeys(each.not_known for each in told if each.not_known))


def keep_nearest(found: dict[Said, Rejection], rejection: Rejection) -> None:
    """Keep the rejection of a code that misses by less, the first of equal ones; curable if either is."""
    said = rejection.code, rejection.not_known
    former = found.setdefault(said, rejection)
    if former is rejection:
        return
    nearer = rejection if _miss(rejection) < _miss(former) else former
    curable = rejection.curable or former.curable
    found[said] = nearer if nearer.curable == curable else replace(nearer, curable=curable)


def _miss(rejection: Rejection) -> float:
    short = rejection.short
    return float(short) if isinstance(short, int | float) else float("inf")  # any number is nearer than none

"""Who asks: the replica that a decision is about, and where its siblings stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.identity import DEFAULT_NAMESPACE, ReplicaKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]


class Siblings:
    """How many replicas of the same workload stand on each worker, and on each of its cards."""

    __slots__ = ("_known", "_sorted")

    def __init__(self, cards: Mapping[int, tuple[int, Mapping[int, int]]] | None = None) -> None:
        """`cards`: by the worker's uid hash, how many replicas, and how many on the card at each position."""
        self._known = dict(cards or {})
        self._sorted: tuple[Counts, Counts, list[Mapping[int, int]]] | None = None

    def on_workers(self, uid_hashes: npt.NDArray[np.int64]) -> Counts:
        """Replicas on each of these workers."""
        counts = np.zeros(len(uid_hashes), np.int64)
        rows, places = self._found(uid_hashes)
        counts[rows] = self._columns[1][places]
        return counts

    def on_cards(self, uid_hashes: npt.NDArray[np.int64], width: int) -> Counts:
        """Replicas on each card of these workers."""
        counts = np.zeros((len(uid_hashes), width), np.int64)
        rows, places = self._found(uid_hashes)
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            for position, count in self._columns[2][place].items():
                counts[row, position] = count
        return counts

    def _found(self, uid_hashes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        if not self._known:
            nobody = np.zeros(0, np.intp)
            return nobody, nobody
        hashes = self._columns[0]
        places = np.minimum(np.searchsorted(hashes, uid_hashes), len(hashes) - 1)
        rows = np.flatnonzero(hashes[places] == uid_hashes)
        return rows, places[rows]

    @property
    def _columns(self) -> tuple[Counts, Counts, list[Mapping[int, int]]]:
        """Hashes in order, and beside them replicas and cards; made when somebody looks, which few strategies do."""
        if self._sorted is None:
            known = sorted(self._known.items())
            hashes = np.array([uid for uid, _ in known], np.int64)
            replicas = np.array([number for _, (number, _) in known], np.int64)
            self._sorted = hashes, replicas, [by_card for _, (_, by_card) in known]
        return self._sorted


ALONE = Siblings()
NOWHERE: npt.NDArray[np.int64] = np.zeros(0, np.int64)
UNTRIED, ELSEWHERE = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """The domains (by number) in which a gang may stand, how many members it wants, and how many each would hold.

    Where `at_most` is true of a domain, it holds no more than that; one that is UNTRIED may hold any number,
    and one that is ELSEWHERE is not where the first members of the gang stand.
    """

    allowed: npt.NDArray[np.int64]
    wanted: int = 0
    rooms: npt.NDArray[np.int64] = field(default_factory=lambda: NOWHERE)
    at_most: npt.NDArray[np.bool_] = field(default_factory=lambda: NOWHERE.astype(np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """How many members stand in each domain, by number; of those that could hold one, `least` is the smallest."""

    counts: npt.NDArray[np.int64]
    least: int = 0


@dataclass(frozen=True, slots=True)
class OnSpot:
    """How many replicas stand on spot workers, and how many may: so many percent of those that are wanted."""

    there: int
    most: int
    wanted: int
    percent: float


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One replica of a workload.

    `avoided` are the uid hashes of workers that hold whom it must not stand beside, `used` those of workers that the
    workload pays for already, `affordable` those of workers that it can pay for all together. `within` and `balance`
    are there where members keep to some domains of a level, `on_spot` where only some may stand on spot workers.
    """

    workload: str
    replica: int = 0
    priority: int = 0
    gang: str | None = None
    siblings: Siblings = ALONE
    avoided: npt.NDArray[np.int64] = field(default_factory=lambda: NOWHERE)
    used: npt.NDArray[np.int64] = field(default_factory=lambda: NOWHERE)
    spent_usd_per_hour: float = 0.0
    affordable: npt.NDArray[np.int64] | None = None
    within: Within | None = None
    balance: Balance | None = None
    on_spot: OnSpot | None = None
    namespace: str = DEFAULT_NAMESPACE

    def __str__(self) -> str:
        return str(ReplicaKey(self.namespace, self.workload, self.replica))

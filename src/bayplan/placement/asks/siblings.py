"""Where the other replicas of a workload are: how many on each worker, and on each of its cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]
    Entry = tuple[int, tuple[int, ...]]  # the uid hash of a worker, and the positions of the cards taken there


class Siblings:
    """The first `number` entries of a log. It costs nothing until it is looked at, which few strategies do."""

    __slots__ = ("_columns", "_log", "_number")

    def __init__(self, log: Sequence[Entry] = (), number: int | None = None) -> None:
        self._log, self._number = log, len(log) if number is None else number
        self._columns: tuple[Counts, Counts, list[dict[int, int]]] | None = None

    @classmethod
    def of(cls, counts: Mapping[int, tuple[int, Mapping[int, int]]]) -> Siblings:
        """By the worker's uid hash, how many replicas, and how many on the card at each position."""
        log: list[Entry] = []
        for uid, (number, by_card) in counts.items():
            cards = [position for position, count in by_card.items() for _ in range(count)]
            log += [(uid, tuple(cards)), *[(uid, ())] * (number - 1)]
        return cls(log)

    def on_workers(self, uid_hashes: Counts) -> Counts:
        """Replicas on each of these workers."""
        counts = np.zeros(len(uid_hashes), np.int64)
        rows, places = self._found(uid_hashes)
        if len(rows):
            counts[rows] = self._counted()[1][places]
        return counts

    def on_cards(self, uid_hashes: Counts, width: int) -> Counts:
        """Replicas on each card of these workers."""
        counts = np.zeros((len(uid_hashes), width), np.int64)
        rows, places = self._found(uid_hashes)
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            for position, count in self._counted()[2][place].items():
                counts[row, position] = count
        return counts

    def _found(self, uid_hashes: Counts) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The rows of workers with siblings, and where these workers are in the columns."""
        if not self._number:
            none = np.zeros(0, np.intp)
            return none, none
        hashes = self._counted()[0]
        places = np.minimum(np.searchsorted(hashes, uid_hashes), len(hashes) - 1)
        rows = np.flatnonzero(hashes[places] == uid_hashes)
        return rows, places[rows]

    def _counted(self) -> tuple[Counts, Counts, list[dict[int, int]]]:
        """Uid hashes in order, and beside them replicas and cards."""
        if self._columns is None:
            replicas: dict[int, int] = {}
            cards: dict[int, dict[int, int]] = {}
            for uid, positions in self._log[: self._number]:
                replicas[uid] = replicas.get(uid, 0) + 1
                there = cards.setdefault(uid, {})
                for position in positions:
                    there[position] = there.get(position, 0) + 1
            hashes = sorted(replicas)
            numbers = np.array([replicas[uid] for uid in hashes], np.int64)
            self._columns = np.array(hashes, np.int64), numbers, [cards[uid] for uid in hashes]
        return self._columns


class SiblingLog:
    """Siblings as they are added in one try. What was handed out stays as it was."""

    def __init__(self) -> None:
        self._log: list[Entry] = []

    def add(self, uid: int, positions: Iterable[int]) -> None:
        """One more replica on this worker, on the cards at these positions."""
        self._log.append((uid, tuple(positions)))

    def now(self) -> Siblings:
        """The siblings so far."""
        return Siblings(self._log, len(self._log))

    def mark(self) -> int:
        return len(self._log)

    def back_to(self, mark: int) -> None:
        if mark < len(self._log):
            self._log = self._log[:mark]  # a new list: siblings that were handed out read the old one


ALONE = Siblings()

"""Where the other replicas of a workload are: how many on each worker, and on each of its cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]
    Entry = tuple[int, tuple[int, ...]]  # the uid hash of a worker, and the positions of the cards taken there


class _Tally:
    """Entries added up: one line a worker, in the order in which workers came."""

    __slots__ = ("_cards", "_line", "_order", "_replicas", "entries")

    def __init__(self, log: Iterable[Entry] = ()) -> None:
        self._line: dict[int, int] = {}
        self._replicas = np.zeros(8, np.int64)
        self._cards = np.zeros((8, 8), np.int64)
        self._order: tuple[Counts, npt.NDArray[np.intp]] | None = None
        self.entries = 0
        for entry in log:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        uid, positions = entry
        line = self._line.get(uid)
        if line is None:
            line = self._line[uid] = len(self._line)
            self._order = None
        self._reserve(line, max(positions, default=0))
        self._replicas[line] += 1
        for position in positions:
            self._cards[line, position] += 1
        self.entries += 1

    def _reserve(self, line: int, position: int) -> None:
        """Twice the room where there is none left, so that adding stays cheap."""
        lines, width = self._cards.shape
        if line >= lines or position >= width:
            cards = np.zeros((max(lines, 2 * line), max(width, 2 * position)), np.int64)
            cards[:lines, :width] = self._cards
            replicas = np.zeros(len(cards), np.int64)
            replicas[:lines] = self._replicas
            self._cards, self._replicas = cards, replicas

    def find(self, uid_hashes: Counts) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The places in `uid_hashes` of workers with siblings, and their lines."""
        if self._order is None:
            hashes = np.fromiter(self._line, np.int64, len(self._line))
            order = np.argsort(hashes)
            self._order = hashes[order], order
        hashes, order = self._order
        found = np.minimum(np.searchsorted(hashes, uid_hashes), len(hashes) - 1)
        places = np.flatnonzero(hashes[found] == uid_hashes)
        return places, order[found[places]]

    def replicas(self, lines: npt.NDArray[np.intp]) -> Counts:
        return self._replicas[lines]

    def cards(self, lines: npt.NDArray[np.intp], width: int) -> Counts:
        return self._cards[lines, :width]


class Siblings:
    """The first `number` entries of a log; `tally` is used as long as it counts no others."""

    __slots__ = ("_log", "_number", "_tally")

    def __init__(self, log: Sequence[Entry] = (), tally: _Tally | None = None) -> None:
        self._log, self._number = log, len(log)
        self._tally = tally or _Tally(log)

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
        if self._number:
            tally = self._counted()
            places, lines = tally.find(uid_hashes)
            counts[places] = tally.replicas(lines)
        return counts

    def on_cards(self, uid_hashes: Counts, width: int) -> Counts:
        """Replicas on each card of these workers."""
        counts = np.zeros((len(uid_hashes), width), np.int64)
        if self._number:
            tally = self._counted()
            places, lines = tally.find(uid_hashes)
            there = tally.cards(lines, width)
            counts[places, : there.shape[1]] = there
        return counts

    def _counted(self) -> _Tally:
        """The tally of these entries: added up anew where the log has moved on."""
        if self._tally.entries != self._number:
            self._tally = _Tally(self._log[: self._number])
        return self._tally


class SiblingLog:
    """Siblings as they are added in one try. What was handed out stays as it was."""

    def __init__(self) -> None:
        self._log: list[Entry] = []
        self._tally = _Tally()

    def add(self, uid: int, positions: Iterable[int]) -> None:
        """One more replica on this worker, on the cards at these positions."""
        self._log.append((uid, tuple(positions)))

    def now(self) -> Siblings:
        """The siblings so far, counted now: many replicas may be added before one asks."""
        for entry in self._log[self._tally.entries :]:
            self._tally.add(entry)
        return Siblings(self._log, self._tally)

    def mark(self) -> int:
        return len(self._log)

    def back_to(self, mark: int) -> None:
        if mark < len(self._log):  # a new list and tally: siblings that were handed out read the old ones
            self._log = self._log[:mark]
            self._tally = _Tally(self._log)


ALONE = Siblings()

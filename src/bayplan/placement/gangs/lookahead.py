"""How many copies of an ask each worker holds, and what each further copy scores there.

Filters and scorers themselves are asked about each row with 0, 1, 2 … copies booked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES, domain_column
from bayplan.cluster.topology import LEVELS
from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.folding import matter
from bayplan.framework.evaluation.looks import distinct_rows
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.tuning import PLAIN
from bayplan.placement.gangs.booked_rows import BookedRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.evaluation.binding import Binding
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import FloatArray, IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.decision.strategies import Strategies
    from bayplan.placement.decision.tuning import Tuning

MOST_COPIES = 64
"""Copies of one ask that are foreseen on one worker at a time: eight shares of each of eight cards."""

_MASK_CARDS = 64
"""The cards of a copy are kept as the bits of one 64-bit number."""

FEW = 4
"""Up to this many rows are written one by one: NumPy is quicker only with more of them."""

_NO_SUBJECT = Subject("")  # copies are foreseen only where no plugin reads the subject
_COUNTED = (Taking.WHOLE, Taking.SHARE, Taking.PLACES, Taking.NOTHING)
_REFUSED = -np.inf  # the total of rows that a filter refused
# columns that tell where or which a worker is: they count only if a plugin reads them
_PLACES = {"uid_hash", "labels_id", "path_id", *(domain_column(level) for level in LEVELS)}


class Copy(NamedTuple):
    """One copy on a worker: which one it is there, counted from 0, and its total."""

    row: int
    number: int
    total: float


class CopyCards(NamedTuple):
    """What a copy takes of its worker: the number of its shape, its cards as bits, and the places on each card.

    There are places only where cards are shared by places.
    """

    shape: int
    bits: int
    places: tuple[int, ...] = ()


def counts_copies(strategies: Strategies, strategy: str, ask: Ask, table: Table | Fork, tuning: Tuning = PLAIN) -> bool:
    """Whether copies of an ask can be foreseen: cards of one worker, whole or by share, scored row by row."""
    if ask.taking not in _COUNTED or ask.spans or ask.overcommit or ask.unknown:
        return False
    if tuning.sample or table.columns["card_memory_mib"].shape[1] > _MASK_CARDS:
        return False
    binding = unconstrained(strategies, strategy, ask, table, tuning).binding
    return not binding.late and len(binding.levels) == 1


def unconstrained(strategies: Strategies, strategy: str, ask: Ask, table: Table | Fork, tuning: Tuning) -> Evaluator:
    """The evaluator of the plugins that judge a replica by itself: constraints of the workload are left out."""
    name = strategies.strategy(strategy)
    evaluator: Any = strategies.scheduler(name, tuning).evaluator(variant_of(name, ask), table)
    found: Evaluator = evaluator.active(ask, Cycle(_NO_SUBJECT, ask))
    return found


class _Step(NamedTuple):
    """One further copy: its totals by line, and of the lines that took it the cards and the columns after it."""

    totals: FloatArray
    place: IndexArray  # by line, the place in what follows; -1 where the copy has no room
    chosen: npt.NDArray[np.uint64]
    shape: npt.NDArray[Any]
    columns: Mapping[str, Any]


class Copies:
    """The copies of one ask on some rows of a table, which is written only through `book`.

    Rows that are equal in all columns that plugins read share a line: copies are foreseen once for all of them. `rooms`
    says how many copies each row holds, as far as `most` copies were foreseen.
    """

    def __init__(
        self,
        strategies: Strategies,
        strategy: str,
        ask: Ask,
        table: Table | Fork,
        tuning: Tuning = PLAIN,
        *,
        rows: slice | None = None,
        most: int = MOST_COPIES,
    ) -> None:
        self.ask, self.table = ask, table
        self._order = strategies.order(strategies.strategy(strategy))
        self._evaluator = unconstrained(strategies, strategy, ask, table, tuning)
        self._names = _told_apart(self._evaluator.binding, ask)
        inside = slice(0, table.size) if rows is None else rows
        self._start, size = inside.start, inside.stop - inside.start
        self._most = min(most, MOST_COPIES)
        self._looks: list[list[_Step]] = []
        self._look_of = np.zeros(size, np.intp)
        self._line = np.zeros(size, np.intp)
        self._booked = np.zeros(size, np.intp)  # copies that were foreseen and are booked by now
        self._first: FloatArray = np.full(size, _REFUSED)
        self.rooms: npt.NDArray[np.int64] = np.zeros(size, np.int64)
        self._written: dict[str, None] = {}  # the columns that a copy changes
        if size:
            self._look(np.arange(size))

    def _look(self, places: IndexArray) -> None:
        """Foresee the copies on these places of `rooms`."""
        kinds, which = distinct_rows(self.table, places + self._start, self._names)
        steps, rooms = self._foresee(kinds)
        self._look_of[places] = len(self._looks)
        self._looks.append(steps)
        self._line[places] = which
        self._booked[places] = 0
        self.rooms[places] = rooms[which]
        self._first[places] = steps[0].totals[which] if steps else _REFUSED

    def _foresee(self, rows: IndexArray) -> tuple[list[_Step], npt.NDArray[np.int64]]:
        """What 1, 2 … copies would score on each of these rows and leave of it; and how many there are."""
        after, lines, count = BookedRows(self.table, rows), np.arange(len(rows)), len(rows)
        rooms = np.zeros(count, np.int64)
        steps: list[_Step] = []
        while len(steps) < self._most:
            (total,) = self._evaluator.judge(self.ask, rows, after.state)
            accepted = total != _REFUSED
            if not accepted.any():
                break
            totals = np.full(count, _REFUSED)
            totals[lines] = total
            if not accepted.all():
                rows, lines = rows[accepted], lines[accepted]
                after.keep(accepted)
            rooms[lines] += 1
            before = after.columns
            chosen, shape = after.book(self.ask, self._order, _NO_SUBJECT)
            place = np.full(count, -1, np.intp)  # -1: the row has no room for this copy
            place[lines] = np.arange(len(lines))
            # a sum of different powers of two is their mask
            bits = (chosen * (1 << np.arange(chosen.shape[1], dtype=np.uint64))).sum(1)
            steps.append(_Step(totals, place, bits, shape, self._changed(before, after.columns)))
        return steps, rooms

    def _changed(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that copies change, as they are now. A column that was not copied was not changed."""
        for name in STATE_NAMES:
            is_other = name not in self._written and after[name] is not before[name]
            if is_other and not np.array_equal(after[name], before[name]):
                self._written[name] = None
        return {name: after[name] for name in self._written}

    def total(self, row: int, number: int) -> float:
        """What a copy scores on a worker that holds this many further ones already; -inf where it has no room."""
        at = row - self._start
        steps, number = self._looks[self._look_of.item(at)], self._booked.item(at) + number
        return steps[number].totals.item(self._line.item(at)) if number < len(steps) else _REFUSED

    def pick(self, members: int) -> list[Copy]:
        """The best copies, one after the other, each with the former ones booked.

        There may be fewer than wanted although others have room: behind the last copy that was foreseen on a worker
        nothing is known until the copies are booked. None where there is no room at all.
        """
        totals, taken, found = self._first.copy(), dict[int, int](), list[Copy]()
        while len(found) < members:
            place = int(totals.argmax())
            total = totals.item(place)
            if total == _REFUSED:
                break
            row, number = self._start + place, taken.get(place, 0)
            found.append(Copy(row, number, total))
            taken[place] = number + 1
            # nothing is foreseen behind it: these are booked first
            if self._booked.item(place) + number + 1 == self._most:
                break
            totals[place] = self.total(row, number + 1)
        return found

    def cards(self, row: int, number: int) -> CopyCards:
        """What a copy takes that is not booked yet."""
        step, place = self._step(row, number)
        places = self._places(row, number) if self.ask.taking is Taking.PLACES else ()
        return CopyCards(int(step.shape[place]), int(step.chosen[place]), places)

    def _places(self, row: int, number: int) -> tuple[int, ...]:
        """The places that a copy takes of each card: what is held after it, less what is held before it."""
        step, place = self._step(row, number)
        held = step.columns["card_places_held"][place]
        if number or self._booked.item(row - self._start):
            former, before = self._step(row, number - 1)
            return tuple((held - former.columns["card_places_held"][before]).tolist())
        gathered = self.table.gather(("card_places_held",), np.array([row], np.intp))
        return tuple((held - gathered["card_places_held"][0]).tolist())

    def _step(self, row: int, number: int) -> tuple[_Step, int]:
        at = row - self._start
        step = self._looks[self._look_of.item(at)][self._booked.item(at) + number]
        return step, step.place.item(self._line.item(at))

    def book(self, picked: list[Copy]) -> None:
        """Write the rows as they are with these copies, and look again where more copies than foreseen may fit."""
        taken: dict[int, int] = {}
        for copy in picked:
            taken[copy.row] = copy.number + 1
        self._write(taken)
        again = []
        for row, number in taken.items():
            at = row - self._start
            self._booked[at] += number
            self.rooms[at] -= number
            if self._booked[at] == self._most:
                again.append(at)
            else:
                self._first[at] = self.total(row, 0)
        if again:
            self._look(np.array(again, np.intp))

    def _write(self, taken: Mapping[int, int]) -> None:
        states = {row: self._state(row, number - 1) for row, number in taken.items()}
        if len(states) <= FEW:
            for row, values in states.items():
                self.table.write(row, values)
            return
        rows = np.fromiter(states, np.intp, len(states))
        self.table.write_many(
            rows, {name: np.array([each[name] for each in states.values()]) for name in self._written}
        )

    def _state(self, row: int, number: int) -> dict[str, Any]:
        """A row as it is once the copies up to this number are booked."""
        step, place = self._step(row, number)
        values = {name: column[place] for name, column in step.columns.items()}
        if len(values) < len(self._written):  # another row, or a later copy, changes columns that this one does not
            missing = [name for name in self._written if name not in values]
            now = self.table.gather(missing, np.array([row], np.intp))
            values |= {name: column[0] for name, column in now.items()}
        return values


def _told_apart(binding: Binding, ask: Ask) -> tuple[str, ...]:
    """The columns by which copies of this ask can tell workers apart; where a worker is counts only if it is read."""
    stage = binding.static
    asked = {*matter((*stage.producers, *stage.filters, *stage.scorers), ask, stage.columns), *binding.row.columns}
    return tuple(name for name in (*STATIC_NAMES, *STATE_NAMES) if name not in _PLACES or name in asked)


def positions(bits: int) -> list[int]:
    """Which bits are set."""
    return [each for each in range(bits.bit_length()) if bits >> each & 1]

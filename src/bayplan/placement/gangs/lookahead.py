"""How many copies of an ask each worker holds, and what each further copy scores there.

Room is no second formula: the very filters that decide are asked about the row with 0, 1, 2 … copies booked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.columns import HELD, STATE_NAMES, STATIC_NAMES, domain_column
from bayplan.cluster.topology import LEVELS
from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.folding import matter
from bayplan.framework.evaluation.looks import distinct_rows
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.tuning import PLAIN, Tuning
from bayplan.placement.gangs.booked_rows import BookedRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.cluster.domains import Domains
    from bayplan.framework.evaluation.binding import Binding
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.fork import Fork
    from bayplan.framework.log import Log
    from bayplan.framework.plugins import FloatArray, IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.decision.strategies import Strategies

MOST_COPIES = 64
"""So many copies of one ask on one worker are looked ahead; a worker that holds more is looked at again and again."""

_MASK_CARDS = 64
FEW = 4
"""Up to so many rows are written one by one: NumPy is quicker only with more of them."""

_NOBODY = Subject("")
_COUNTED = (Taking.WHOLE, Taking.SHARE, Taking.PLACES, Taking.NOTHING)
_REFUSED = -np.inf
_HELD = tuple(spec.name for spec in HELD)
_PLACES = {"uid_hash", "labels_id", "path_id", *(domain_column(level) for level in LEVELS)}


class Copy(NamedTuple):
    """One copy on a worker: which one it is there, counted from 0, and its total."""

    row: int
    number: int
    total: float


class CopyCards(NamedTuple):
    """What a copy takes of its worker: the number of its shape, its cards as bits, and of shared cards the number of
    places on each card.
    """

    shape: int
    bits: int
    places: tuple[int, ...] = ()


class Writes:
    """What a table holds once so many copies more are booked on each of these rows."""

    def __init__(self, copies: Copies, taken: Mapping[int, int]) -> None:
        self.taken = taken
        self._copies = copies
        self._version = copies.table.version

    def apply(self) -> None:
        """Write them. Where nobody wrote in between, what is known of the copies moves on without being compared."""
        copies, table, taken = self._copies, self._copies.table, self.taken
        is_ours = table.version == self._version
        if len(taken) <= FEW:
            for row, number in taken.items():
                table.write(row, copies.state(row, number - 1))
        else:
            rows, numbers = _arrays(taken)
            table.write_many(rows, copies.states(rows, numbers - 1))
        if is_ours:
            copies.booked(taken)


def counts_copies(strategies: Strategies, strategy: str, ask: Ask, table: Table | Fork, tuning: Tuning = PLAIN) -> bool:
    """Whether copies of an ask can be looked ahead: cards of one worker, whole or by share, scored row by row."""
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
    found: Evaluator = evaluator.active(ask, Cycle(_NOBODY, ask))
    return found


class Copies:
    """One ask on one table, kept up to date with it: rows that were written are looked at again.

    A row that was written with exactly the copies that were foreseen is not: what was said of its second copy is now
    said of its first.
    """

    def __init__(
        self, strategies: Strategies, strategy: str, ask: Ask, table: Table | Fork, tuning: Tuning = PLAIN
    ) -> None:
        name = strategies.strategy(strategy)
        self.ask, self.table = ask, table
        self._order = strategies.order(name)
        self._evaluator = unconstrained(strategies, strategy, ask, table, tuning)
        self._domains = strategies.snapshot.domains
        self._names = _told_apart(self._evaluator.binding, ask)
        self._line = np.zeros(table.size, np.intp)  # where what is known of a row stands: equal rows share a line
        self._lines = 0
        self._totals: FloatArray = np.full((0, 2), _REFUSED)
        self._chosen = np.zeros((0, 2), np.uint64)
        self._shape = np.zeros((0, 2), np.int16)
        self._states: dict[str, npt.NDArray[Any]] = {}
        self._at = np.zeros(table.size, np.intp)  # how many of the copies that were looked at are booked by now
        self._first: FloatArray = np.full(table.size, _REFUSED)
        self.rooms: npt.NDArray[np.int64] = np.zeros(table.size, np.int64)
        self._sums: dict[str, npt.NDArray[np.int64]] = {}
        self._written: list[str] = []  # the columns that a copy changes
        self._tick = self._static_tick = -1
        self._ground: tuple[int, ...] = ()

    def sync(self) -> None:
        """Look again at the rows that changed."""
        table = self.table
        ground = (table.generation, *table.epochs.values())
        if self._ground != ground or self._lines > 2 * table.size:
            self._lines = 0
            self._look(np.arange(table.size))
            self._ground = ground
        elif self._tick != table.log.tick:
            fresh = self._shift(_changed(table, table.log, self._tick))
            if len(fresh):
                self._look(fresh)
        self._tick, self._static_tick = table.log.tick, table.static_log.tick

    def _shift(self, rows: IndexArray) -> IndexArray:
        """Of rows that are now what they were to be after some copies, move what is known; the others are left.

        A worker that is no longer what it was scores otherwise, whatever is booked on it.
        """
        columns, line = self.table.gather(_HELD, rows), self._line[rows]
        at, room = self._at[rows], self.rooms[rows]
        booked = columns["bookings"] - self._states["bookings"][line, at] + 1
        same = (booked > 0) & (booked <= room) & (at + room < MOST_COPIES)
        if self._static_tick != self.table.static_log.tick:
            same &= ~np.isin(rows, _changed(self.table, self.table.static_log, self._static_tick))
        after = (line, at + np.where(same, booked - 1, 0))
        for name in _HELD:
            equal = self._states[name][after] == columns[name]
            same &= equal if equal.ndim == 1 else equal.reshape(len(rows), -1).all(1)
        self._move(rows[same], booked[same])
        fresh: IndexArray = rows[~same]
        return fresh

    def _move(self, rows: IndexArray, numbers: IndexArray) -> None:
        """So many copies are booked on these rows: what was said of the next one is now said of the first."""
        at = self._at[rows] + numbers
        self._at[rows] = at
        self._first[rows] = self._totals[self._line[rows], at]
        self.rooms[rows] -= numbers
        for column, sums in self._sums.items():
            domain = self.table.columns[column][rows]
            named = domain >= 0
            np.subtract.at(sums, domain[named], numbers[named])

    def booked(self, taken: Mapping[int, int]) -> None:
        """Nothing but these copies was written since they were looked at; where not all were, `sync` looks again."""
        if self._totals.shape[1] > MOST_COPIES:
            return
        if len(taken) > FEW:
            self._move(*_arrays(taken))
        else:
            for row, number in taken.items():
                self._move_one(row, number)
        self._tick = self.table.log.tick

    def _move_one(self, row: int, number: int) -> None:
        """As `_move`, for one row."""
        at = self._at.item(row) + number
        self._at[row] = at
        self._first[row] = self._totals[self._line.item(row), at]
        self.rooms[row] -= number
        columns = self.table.columns
        for column, sums in self._sums.items():
            if (domain := columns[column].item(row)) >= 0:
                sums[domain] -= number

    def _look(self, index: IndexArray) -> None:
        kinds, which = distinct_rows(self.table, index, self._names)
        first = self._lines
        self._reserve(first + len(kinds))
        self._lines = first + len(kinds)
        lines = np.arange(first, self._lines)
        rooms = np.zeros(len(kinds), np.int64)
        self._look_ahead(kinds, lines, rooms)
        self._at[index] = 0
        self._line[index] = lines[which]
        self.rooms[index] = rooms[which]
        self._sums.clear()
        self._first[index] = self._totals[lines, 0][which]

    def _look_ahead(self, rows: IndexArray, lines: IndexArray, rooms: npt.NDArray[np.int64]) -> None:
        """What 1, 2 … copies would score on each of these rows, and leave of it."""
        supposed, places = BookedRows(self.table, rows), np.arange(len(rows))
        for number in range(MOST_COPIES):
            (total,) = self._evaluator.judge(self.ask, rows, supposed.state)
            accepted = total != _REFUSED
            if not accepted.any():
                break
            if number == self._totals.shape[1] - 1:  # what lies behind the last copy is always refused
                self._grow()
            self._totals[lines, number] = total
            rows, lines, places = rows[accepted], lines[accepted], places[accepted]
            supposed.keep(accepted)
            rooms[places] += 1
            before = supposed.columns
            chosen, shape = supposed.book(self.ask, self._order, _NOBODY)
            self._chosen[lines, number] = (chosen * (1 << np.arange(chosen.shape[1], dtype=np.uint64))).sum(1)
            self._shape[lines, number] = shape
            for name, states in self._states.items():
                column = supposed.columns[name]
                states[lines, number] = column
                if name not in self._written and not np.array_equal(column, before[name]):
                    self._written.append(name)

    def _reserve(self, lines: int) -> None:
        """Room for so many lines, of which those that are not in use are refused."""
        there, copies = self._totals.shape
        self._totals[self._lines :] = _REFUSED
        if lines <= there and self._states:
            return
        size = max(lines, min(2 * there, 2 * self.table.size + lines))
        self._totals = _longer(self._totals, size, _REFUSED)
        self._chosen, self._shape = _longer(self._chosen, size), _longer(self._shape, size)
        if not self._states:
            columns = self.table.gather(STATE_NAMES, np.zeros(0, np.intp))
            self._states = {
                name: np.zeros((0, copies, *column.shape[1:]), column.dtype) for name, column in columns.items()
            }
        self._states = {name: _longer(states, size) for name, states in self._states.items()}

    def _grow(self) -> None:
        """Room for as many copies again."""
        size, more = self._totals.shape
        self._totals = np.concatenate([self._totals, np.full((size, more), _REFUSED)], 1)
        self._chosen = np.concatenate([self._chosen, np.zeros((size, more), np.uint64)], 1)
        self._shape = np.concatenate([self._shape, np.zeros((size, more), np.int16)], 1)
        for name, states in self._states.items():
            self._states[name] = np.concatenate([states, np.zeros_like(states)], 1)

    def sums(self, domains: Domains) -> npt.NDArray[np.int64]:
        """How many copies each domain holds."""
        column = domain_column(domains.level)
        found = self._sums.get(column)
        if found is None:
            found = self._sums[column] = domains.sums(self.rooms)
        return found

    def total(self, number: int, row: int) -> float:
        """What a copy scores on a worker that holds so many further ones already; -inf where it has no room."""
        place = self._at.item(row) + number
        return self._totals.item((self._line.item(row), place)) if place < self._totals.shape[1] else _REFUSED

    def firsts(self, inside: slice) -> FloatArray:
        """What the first copy scores on each of these rows."""
        return self._first[inside].copy()

    def cards(self, copy: Copy) -> tuple[int, list[int]]:
        """The number of the shape that a copy takes, and the positions of its cards."""
        taken = self.taken(copy.row, copy.number)
        return taken.shape, positions(taken.bits)

    def taken(self, row: int, number: int) -> CopyCards:
        """What a copy takes that is not booked yet."""
        place = (self._line.item(row), self._at.item(row) + number)
        places = self._places(row, *place) if self.ask.taking is Taking.PLACES else ()
        return CopyCards(self._shape.item(place), self._chosen.item(place), places)

    def _places(self, row: int, line: int, number: int) -> tuple[int, ...]:
        """The places that a copy takes of each card: what is held after it, less what is held before it."""
        held = self._states["card_places_held"][line]
        if number:
            return tuple((held[number] - held[number - 1]).tolist())
        before = self.table.gather(("card_places_held",), np.array([row], np.intp))
        return tuple((held[0] - before["card_places_held"][0]).tolist())

    def state(self, row: int, number: int) -> dict[str, Any]:
        """A row as it is once the copies up to this number are booked."""
        place = (self._line.item(row), self._at.item(row) + number)
        return {name: self._states[name][place] for name in self._written}

    def states(self, rows: IndexArray, numbers: IndexArray) -> dict[str, Any]:
        """The same of many rows, column by column."""
        places = (self._line[rows], self._at[rows] + numbers)
        return {name: self._states[name][places] for name in self._written}


def _told_apart(binding: Binding, ask: Ask) -> tuple[str, ...]:
    """The columns by which copies of this ask can tell workers apart; where they stand counts only if it is read."""
    stage = binding.static
    asked = {*matter((*stage.producers, *stage.filters, *stage.scorers), ask, stage.columns), *binding.row.columns}
    return tuple(name for name in (*STATIC_NAMES, *STATE_NAMES) if name not in _PLACES or name in asked)


def _longer(column: npt.NDArray[Any], size: int, value: float = 0) -> npt.NDArray[Any]:
    """The array with more lines."""
    longer = np.full((size, *column.shape[1:]), value, column.dtype)
    longer[: len(column)] = column
    return longer


def _arrays(taken: Mapping[int, int]) -> tuple[IndexArray, IndexArray]:
    return np.fromiter(taken.keys(), np.intp, len(taken)), np.fromiter(taken.values(), np.intp, len(taken))


def positions(bits: int) -> list[int]:
    """Which bits are set."""
    return [each for each in range(bits.bit_length()) if bits >> each & 1]


def _changed(table: Table | Fork, log: Log, tick: int) -> IndexArray:
    """The rows that a log names since then."""
    since = log.since(tick, table.size)
    rows: IndexArray = np.arange(table.size) if since is None else np.unique(since)
    return rows

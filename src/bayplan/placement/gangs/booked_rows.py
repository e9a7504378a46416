"""Rows as they would be with further copies of an ask on each of them: many workers at once, nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.claim import AMOUNT_COLUMNS, share_amounts
from bayplan.cluster.columns import HOST_OF_CARDS, STATE_NAMES, STATIC_NAMES, UNKNOWN
from bayplan.cluster.remainder import CardAmounts
from bayplan.cluster.settlement import charge, zone_cells
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.choose import choose, look
from bayplan.placement.cards.places import place_milli

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from bayplan.cluster.settlement import Cells
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import BoolArray, Column, IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.choose import CardOrder

    Numbers = npt.NDArray[Any]


class BookedRows:
    """Some rows of a table with a state of their own; it has `gather`, as a table has."""

    def __init__(self, table: Table | Fork, index: IndexArray) -> None:
        self.shared = table.shared
        self.columns: dict[str, Column] = table.gather((*STATIC_NAMES, *STATE_NAMES), index)
        self.size = len(index)

    def gather(self, names: Iterable[str], index: IndexArray) -> dict[str, Column]:
        return {name: self.columns[name][index] for name in names}

    @property
    def state(self) -> Mapping[str, Column]:
        """What `judge` takes."""
        return {name: self.columns[name] for name in STATE_NAMES}

    def keep(self, some: BoolArray) -> None:
        """Forget the other rows."""
        self.columns = {name: column[some] for name, column in self.columns.items()}
        self.size = int(some.sum())

    def book(self, ask: Ask, order: CardOrder, subject: Subject) -> tuple[BoolArray, Numbers]:
        """Book one copy on every row, all of which hold it: the cards each gives, and the number of its shape."""
        if ask.taking is Taking.NOTHING:
            chosen, shape = np.zeros((self.size, 1), np.bool_), np.zeros(self.size, np.int64)
            self._charge(ask, chosen, shape, chosen.astype(np.int64))
            return chosen, shape
        rows = look(ask, self, np.arange(self.size))
        given = choose(ask, rows, order, subject)
        self._charge(ask, given.chosen, rows.fit_shape, given.places)
        return given.chosen, rows.fit_shape

    def _charge(self, ask: Ask, chosen: BoolArray, shape: Numbers, given: Numbers) -> None:
        """Count the copy of every row: the cells that it changes, by the rule of the ledger."""
        c = self.columns = dict(self.columns)
        cells = np.nonzero(chosen)
        held: dict[str, Any] = {"bookings": 1}
        if ask.cpu_milli:
            held["cpu_booked_milli"] = ask.cpu_milli
        if ask.ram_mib:
            held["ram_booked_mib"] = ask.ram_mib
        if ask.resources:
            held["resource_held"] = self._resources(ask)
        if len(cells[0]):
            amounts = self._amounts(ask, cells, shape, given)
            held["card_bookings"] = 1
            held |= {name: amount for name, amount in zip(AMOUNT_COLUMNS, amounts, strict=True) if np.any(amount)}
            if (ask.cpu_milli or ask.ram_mib) and (c["numa_id"] != UNKNOWN).any():
                counted = zone_cells(c, cells, chosen)
                for name, amount in zip(HOST_OF_CARDS, (ask.cpu_milli, ask.ram_mib), strict=True):
                    held[name] = counted * (amount or 0)
        charge(c, held, cells)

    def _amounts(self, ask: Ask, cells: Cells, shape: Numbers, given: Numbers) -> CardAmounts:
        """What a copy takes of each of its cards."""
        if ask.taking is Taking.WHOLE:
            return CardAmounts(wholes=1)
        memory = self.columns["card_memory_mib"][cells]
        if ask.taking is Taking.PLACES:
            number, places = given[cells], self.columns["card_places"][cells]
            mib = np.maximum(memory, 0) * number // np.maximum(places, 1)
            return share_amounts(mib, place_milli(number, places), 0, number)
        need = ask.at(np.maximum(shape, 0)[cells[0]])
        mib = booked_mib(ask, need, memory) if ask.rule.needs_memory else 0
        return share_amounts(mib, ask.compute_milli, need.headroom_mib, 1)

    def _resources(self, ask: Ask) -> Numbers:
        held: Numbers = np.zeros(self.columns["resource_held"].shape[1], np.int64)
        for name, amount in ask.resources.items():
            number = self.shared["pools"].resources.find(name)
            if number is not None and number < len(held):
                held[number] += amount
        return held

"""Rows as they would be with one more copy of an ask on each of them: many workers at once, nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import HELD, HOST_OF_CARDS, STATE_NAMES, STATIC_NAMES, UNKNOWN
from bayplan.cluster.holding import settle
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.choose import choose, look
from bayplan.placement.cards.places import place_milli

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import BoolArray, Column, IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.choose import CardOrder

    Numbers = npt.NDArray[Any]

_HELD = tuple(spec.name for spec in HELD)


class BookedRows:
    """Some rows of a table with a state of their own; to whoever gathers columns it is a table."""

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
        c = self.columns = dict(self.columns)
        foreign = c["card_foreign_mib"]
        for name in _HELD:
            c[name] = c[name].copy()
        c["bookings"] += 1
        c["cpu_booked_milli"] += ask.cpu_milli or 0
        c["ram_booked_mib"] += ask.ram_mib or 0
        for name, amount in ask.resources.items():
            number = self.shared["pools"].resources.find(name)
            if number is not None and number < c["resource_held"].shape[1]:
                c["resource_held"][:, number] += amount
        if ask.taking is not Taking.NOTHING:
            c["card_bookings"] += chosen
            self._charge_cards(ask, chosen, shape, given)
            self._charge_zones(ask, chosen)
        dtypes = {name: c[name].dtype for name in STATE_NAMES}
        settle(c)
        seen = c["card_observed_mib"] >= 0
        if seen.any():  # what others use stays as it is
            ours = c["card_booked_mib"] + c["card_headroom_mib"]
            c["card_observed_mib"] = np.where(seen & chosen, foreign + ours, c["card_observed_mib"])
            settle(c)
        for name, dtype in dtypes.items():
            c[name] = c[name].astype(dtype, copy=False)

    def _charge_cards(self, ask: Ask, chosen: BoolArray, shape: Numbers, given: Numbers) -> None:
        c = self.columns
        if ask.taking is Taking.WHOLE:
            c["card_wholes"] += chosen
            return
        if ask.taking is Taking.PLACES:
            self._charge_places(given)
            return
        c["card_shares"] += chosen
        c["card_places_held"] += chosen
        need = ask.at(np.maximum(shape, 0)[:, None])
        c["card_headroom_mib"] += chosen * need.headroom_mib
        if ask.rule.needs_memory:
            c["card_share_mib"] += np.where(chosen, booked_mib(ask, need, c["card_memory_mib"]), 0)
        c["card_share_milli"] += chosen * ask.compute_milli

    def _charge_places(self, given: Numbers) -> None:
        c = self.columns
        places = np.maximum(c["card_places"], 1)
        c["card_shares"] += given > 0
        c["card_places_held"] += given.astype(c["card_places_held"].dtype)
        c["card_share_mib"] += np.maximum(c["card_memory_mib"], 0) * given // places
        c["card_share_milli"] += place_milli(given, places)

    def _charge_zones(self, ask: Ask, chosen: BoolArray) -> None:
        """As `holding.charge` counts CPU and RAM where the cards are all of one NUMA zone."""
        c = self.columns
        zoned = c["numa_id"] != UNKNOWN
        if not zoned.any() or not (ask.cpu_milli or ask.ram_mib):
            return
        numa = c["card_numa"]
        first = chosen.argmax(1)
        lines = np.arange(self.size)
        zone = numa[lines, first]
        one = zoned & chosen.any(1) & (zone != UNKNOWN) & (~chosen | (numa == zone[:, None])).all(1)
        for column, amount in zip(HOST_OF_CARDS, (ask.cpu_milli, ask.ram_mib), strict=True):
            c[column][lines[one], first[one]] += amount or 0

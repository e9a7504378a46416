"""From which cards each worker would give MIG instances, on all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.placement.cards.card_facts import UNUSABLE
from bayplan.placement.cards.fit import UNFIT
from bayplan.placement.cards.mig.instances import LOOSE_COST, SIBLING_LOAD, loose_free, loose_number, tables_of
from bayplan.placement.cards.mig.tables import (
    LOAD_BIT,
    MOST_LOAD,
    MOST_RANK,
    NEVER,
    ONES,
    RANK_BIT,
    worth_less,
)

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, Column, FloatArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = ("slice_key", "loose_rank", "card_mig_taken", "card_cuttable", "loose_free", "pools")


class Given(NamedTuple):
    """Of each row: whether it has them all, the cards it would take them from, how full those would be, and the
    place of their models in the order of preference.
    """

    fits: BoolArray
    chosen: BoolArray
    fullness: FloatArray
    rank: Numbers


def one_slice(ask: Ask, rows: CardRows) -> tuple[BoolArray, FloatArray]:
    """Whether each row has an instance, and how full its card would be: as `given`, for one instance and one model."""
    tables = tables_of(ask, rows)
    never = len(tables.costs) - 1  # `costs` end with NEVER
    codes = tables.code.take(rows.slice_key + rows.card_mig_taken)
    least = np.where(rows.card_cuttable, codes, never).min(1, initial=never)
    fits, full = least < never, tables.full.take(least)
    if loose_number(ask, rows.pools, rows.loose_free.shape[1]) is not None:
        free = loose_free(ask, rows, rows.loose_rank)
        loose = (free > 0) & (tables.costs.take(least) >= LOOSE_COST)
        fits, full = fits | loose, np.where(loose, 1 / np.maximum(free, 1) - worth_less(LOOSE_COST), full)
    return fits, full


def given(ask: Ask, rows: CardRows, load: Numbers | None = None) -> Given:
    """What each row would give; `load` is what stands on each card, where that matters."""
    return _Giving(ask, rows, load).given()


class _Giving:
    """Instances one after the other: legal starts of one profile never exclude each other, so that no order holds
    fewer.
    """

    def __init__(self, ask: Ask, rows: CardRows, load: Numbers | None) -> None:
        self.wanted, self.size = ask.shapes[0].cards, rows.size
        self.tables, self.keys = tables_of(ask, rows), rows.slice_key
        self.before, self.closed = rows.card_mig_taken.astype(np.int64), ~rows.card_cuttable
        self.taken = self.before.copy()
        self.loose = loose_free(ask, rows, rows.loose_rank)
        self.left = self.loose.copy()
        self.ranks, self.loose_cost = None, np.full(rows.size, LOOSE_COST)
        if len(ask.rule.models) > 1:
            self.ranks = np.clip(rows.card_rank, 0, MOST_RANK).astype(np.int64) << RANK_BIT
            self.loose_cost += np.clip(rows.loose_rank, 0, MOST_RANK) << RANK_BIT
        self.load = None if load is None else load.copy()

    def given(self) -> Given:
        fits, dearest = np.ones(self.size, np.bool_), np.zeros(self.size, np.int64)
        less = np.zeros(self.size)
        for _ in range(self.wanted):
            cost = self._take()
            fits &= cost < NEVER
            dearest, less = np.maximum(dearest, cost), less + worth_less(cost)
            if not fits.any():
                break
        chosen = (self.taken != self.before) & fits[:, None]
        # the rank is in the highest bits
        rank = dearest >> RANK_BIT if self.ranks is not None else np.zeros(self.size, np.int64)
        return Given(fits, chosen, self._fullness(chosen, less) * fits, np.where(fits, rank, UNUSABLE))

    def _take(self) -> Numbers:
        """One more instance of each row; what it costs."""
        costs = self._costs()
        place = costs.argmin(1) if costs.shape[1] else np.zeros(self.size, np.intp)
        least: Numbers = costs.min(1, initial=NEVER)
        loose = (self.left > 0) & (least >= self.loose_cost)
        self.left -= loose
        lines = np.flatnonzero(~loose & (least < NEVER))
        places = place[lines]
        self.taken[lines, places] = self.tables.after.take(self.keys[lines, places] + self.taken[lines, places])
        if self.load is not None:
            self.load[lines, places] += SIBLING_LOAD
        return np.where(loose, self.loose_cost, least)

    def _costs(self) -> Numbers:
        costs: Numbers = self.tables.cost.take(self.keys + self.taken)
        if self.ranks is not None:
            costs = costs + self.ranks
        if self.load is not None:
            costs = costs + (np.minimum(self.load, MOST_LOAD) << LOAD_BIT)
        return np.where(self.closed, NEVER, np.minimum(costs, NEVER))  # NEVER plus a rank or a load is still NEVER

    def _fullness(self, chosen: BoolArray, less: FloatArray) -> FloatArray:
        """The largest part of a card's free slices, or of the instances of no known card, that is taken."""
        free = self.tables.free.take(self.keys + self.before)
        parts = np.where(chosen, ONES[self.taken & ~self.before] / np.maximum(free, 1), 0.0)
        loose = (self.loose - self.left) / np.maximum(self.loose, 1)
        full: FloatArray = np.maximum(parts.max(1, initial=0.0), loose)
        return np.maximum(full - less / self.wanted, 0.0)


def given_columns(names: tuple[str, ...], found: Given) -> dict[str, Column]:
    """The columns of these names; a column that has no meaning for slices says only whether they fit."""
    fits = found.fits - np.int64(1)  # True becomes 0, the first shape, and False -1, which is UNFIT
    made: dict[str, Column] = {"fullness": found.fullness, "chosen": found.chosen, "fit_rank": found.rank}
    if "fit_leader" in names:
        on_card = found.chosen.any(1)
        made["fit_leader"] = np.where(on_card, found.chosen.argmax(1), UNFIT) if on_card.size else fits
    if "card_room" in names:
        made["card_room"] = found.chosen - np.int64(1)  # likewise: 0 on chosen cards, -1 on all others
    return {name: made.get(name, fits) for name in names}

"""MIG instances of a worker: how many it could give, and which of them a replica takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.mig import MASKS, MigInstance
from bayplan.placement.backends import Support, support
from bayplan.placement.card_facts import UNUSABLE, card_facts
from bayplan.placement.slice_tables import (
    LOAD_BIT,
    MOST_LOAD,
    NEVER,
    ONES,
    RANK_BIT,
    RECONFIGURED,
    WAY_BIT,
    Way,
    card_tables,
    stacked,
    way_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.holding import Holding
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.ask import Ask, CardRule
    from bayplan.placement.slice_tables import SliceTables
    from bayplan.placement.subject import Subject

    Numbers = npt.NDArray[Any]

ROOM_READS = (
    "card_usable", "card_rank", "card_mig_id", "card_mig_enabled", "card_mig_taken", "card_cuttable", "loose_free",
    "pools",
)  # fmt: skip
"""The columns that `rooms` and `given` read."""

RUNTIME = "cuda"
"""Of instances whose card nobody knows: only such cards are cut."""

SIBLING_LOAD = 5
"""How much a replica of the same workload counts on a card, where one of somebody else counts 1."""


def rooms(ask: Ask, rows: Any) -> npt.NDArray[np.int64]:
    """How many instances of the ask's profile each row could give now, whoever asks for how many."""
    tables, keys = _tables(ask, rows), _keys(rows)
    on_cards = tables.room.take(keys + rows.card_mig_taken) * (rows.card_usable & rows.card_cuttable)
    count: npt.NDArray[np.int64] = on_cards.sum(1) + loose_free(ask, rows)[0]
    return count


def loose_free(ask: Ask, rows: Any) -> tuple[Numbers, Numbers]:
    """Free instances of no known card that the ask may take, and where their model stands in its preferences.

    They lie on some cut card of the worker: where the ask is particular about cards, all of those must do.
    """
    number = rows.pools.profiles.find(ask.mig)
    nobody = np.zeros(rows.size, np.int64)
    if number is None or number >= rows.loose_free.shape[1] or not _runs(ask.rule):
        return nobody, nobody
    free = rows.loose_free[:, number].astype(np.int64)
    if not _particular(ask):
        return free, nobody
    cut = rows.card_mig_enabled
    known = cut.any(1) & ~(cut & ~rows.card_usable).any(1)
    return free * known, np.where(cut, rows.card_rank, 0).max(1, initial=0).astype(np.int64)


def _runs(rule: CardRule) -> bool:
    return rule.runtime in (None, RUNTIME) and support(rule.backend, RUNTIME) is not Support.NO


def _particular(ask: Ask) -> bool:
    return bool(ask.rule.models or ask.rule.card_memory_mib) or ask.selected is not None


def _tables(ask: Ask, rows: Any) -> SliceTables:
    layouts = rows.pools.layouts
    return stacked(layouts, len(layouts), ask.mig or "")


def _keys(rows: Any) -> Numbers:
    keys: Numbers = rows.card_mig_id.astype(np.intp) * MASKS
    return keys


class Given(NamedTuple):
    """Of each row: whether it has them all, the cards it would take them from, how full those would be, and the
    place of their models in the order of preference.
    """

    fits: BoolArray
    chosen: BoolArray
    fullness: FloatArray
    rank: Numbers


def given(ask: Ask, rows: Any, load: Numbers | None = None) -> Given:
    """What each row would give; `load` is what stands on each card, where that matters."""
    return _Giving(ask, rows, load).given()


class _Giving:
    """Instances one after the other, on all rows at once: legal starts of one profile never exclude each other, so
    that no order holds fewer.
    """

    def __init__(self, ask: Ask, rows: Any, load: Numbers | None) -> None:
        self.wanted = ask.shapes[0].cards
        self.tables, self.keys = _tables(ask, rows), _keys(rows)
        self.lines = np.arange(rows.size)
        self.before = rows.card_mig_taken
        self.closed = ~(rows.card_usable & rows.card_cuttable)
        self.loose, loose_rank = loose_free(ask, rows)
        self.extra = rows.card_rank.astype(np.int64) << RANK_BIT if len(ask.rule.models) > 1 else None
        self.loose_cost = (int(Way.LOOSE) << WAY_BIT) + (loose_rank << RANK_BIT if self.extra is not None else 0)
        self.load = None if load is None else load.copy()

    def given(self) -> Given:
        if not self.before.shape[1]:
            fits = self.loose >= self.wanted
            return Given(fits, self.closed, self._loose_part(fits * self.wanted), np.where(fits, 0, UNUSABLE))
        return self._one() if self.wanted == 1 else self._several()

    def _costs(self, taken: Numbers) -> Numbers:
        costs: Numbers = self.tables.cost.take(self.keys + taken)
        if self.extra is not None:
            costs = costs + self.extra
        if self.load is not None:
            costs = costs + (np.minimum(self.load, MOST_LOAD) << LOAD_BIT)
        costs[self.closed] = NEVER
        return costs

    def _one(self) -> Given:
        costs = self._costs(self.before)
        place = costs.argmin(1)
        least = costs[self.lines, place]
        on_card = least < NEVER
        full = self.tables.full.take(self.keys[self.lines, place] + self.before[self.lines, place]) * on_card
        chosen = np.zeros(costs.shape, np.bool_)
        chosen[self.lines, place] = on_card
        if self.loose.any():
            loose = (self.loose > 0) & (least >= self.loose_cost)
            chosen[loose] = False
            full = np.where(loose, self._loose_part(loose), full)
            least = np.where(loose, self.loose_cost, least)
            on_card |= loose
        return Given(on_card, chosen, full, self._ranks(least))

    def _several(self) -> Given:
        taken, left = self.before.astype(np.int64), self.loose.copy()
        fits, worst = np.ones(len(self.lines), np.bool_), np.zeros(len(self.lines), np.int64)
        less = np.zeros(len(self.lines))
        for _ in range(self.wanted):
            costs = self._costs(taken)
            place = costs.argmin(1)
            least = costs[self.lines, place]
            loose = (left > 0) & (least >= self.loose_cost)
            on_card = ~loose & (least < NEVER)
            least = np.where(loose, self.loose_cost, least)
            fits &= loose | on_card
            left -= loose
            lines, places = self.lines[on_card], place[on_card]
            taken[lines, places] = self.tables.after.take(self.keys[lines, places] + taken[lines, places])
            if self.load is not None:
                self.load[lines, places] += SIBLING_LOAD
            worst = np.maximum(worst, np.where(least < NEVER, least, 0))
            less += way_of(least) * RECONFIGURED
            if not fits.any():
                break
        chosen = (taken != self.before) & fits[:, None]
        parts = ONES[taken & ~self.before.astype(np.int64)] / np.maximum(
            self.tables.free.take(self.keys + self.before), 1
        )
        full = np.maximum(np.where(chosen, parts, 0.0).max(1), self._loose_part(self.loose - left))
        full = np.maximum(full - less / self.wanted, 0.0) * fits
        return Given(fits, chosen, full, np.where(fits, self._ranks(worst), UNUSABLE))

    def _loose_part(self, taken: Numbers) -> FloatArray:
        part: FloatArray = taken / np.maximum(self.loose, 1)
        return part

    def _ranks(self, cost: Numbers) -> Numbers:
        if self.extra is None:
            return np.where(cost < NEVER, 0, UNUSABLE)
        return np.where(cost < NEVER, cost >> RANK_BIT, UNUSABLE)


def picked(ask: Ask, holding: Holding, usable: Sequence[int], load: Sequence[int] | None = None) -> list[CardBooking]:
    """The instances of one worker, as `given` would take them, from its row as plain numbers."""
    cards, wanted = holding.site.cards, ask.shapes[0].cards
    cuttable, taken = holding["card_cuttable"], list(holding["card_mig_taken"])
    places = [place for place in usable if cuttable[place]]
    tables = card_tables(cards, ask.mig or "")
    ranks = card_facts(ask.rule, cards, cut=True).ranks if len(ask.rule.models) > 1 else None
    loads = None if load is None else list(load)
    loose, loose_cost = _loose(ask, holding, usable, ranks)
    booked: list[CardBooking] = []
    for _ in range(wanted):
        least, best = NEVER, -1
        for place in places:
            cost = tables[place].cost[taken[place]]
            if cost < NEVER:
                if ranks is not None:
                    cost += ranks[place] << RANK_BIT
                if loads is not None:
                    cost += min(loads[place], MOST_LOAD) << LOAD_BIT
                if cost < least:
                    least, best = cost, place
        if loose > 0 and least >= loose_cost:
            loose -= 1
            booked.append(CardBooking(None, RUNTIME, mig=MigInstance(ask.mig or "")))
            continue
        table, mask, card = tables[best], taken[best], cards.cards[best]
        booked.append(CardBooking(card.index, card.runtime, mig=table.instance(mask)))
        taken[best] = table.after[mask]
        if loads is not None:
            loads[best] += SIBLING_LOAD
    return booked


def _loose(ask: Ask, holding: Holding, usable: Sequence[int], ranks: Sequence[int] | None) -> tuple[int, int]:
    """As `loose_free`, of one worker: how many, and what one costs."""
    cost = int(Way.LOOSE) << WAY_BIT
    number = holding.site.profiles.find(ask.mig or "")
    if number is None or not _runs(ask.rule) or number >= len(holding["loose_free"]):
        return 0, cost
    free: int = holding["loose_free"][number]
    if not _particular(ask):
        return free, cost
    cut = _cut_places(holding.site.cards)
    if not cut or not cut <= set(usable):
        return 0, cost
    return free, cost + (0 if ranks is None else max(ranks[place] for place in cut) << RANK_BIT)


def slice_loads(subject: Subject, uid_hashes: Numbers, bookings: Numbers) -> Numbers:
    """Replicas on each card: siblings count five times as much as others."""
    siblings = subject.siblings.on_cards(uid_hashes, bookings.shape[1])
    load: Numbers = (SIBLING_LOAD - 1) * siblings + bookings
    return load


def _cut_places(cards: CardSet) -> set[int]:
    return {place for place, enabled in enumerate(cards.mig_enabled) if enabled}

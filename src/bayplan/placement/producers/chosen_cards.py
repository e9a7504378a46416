"""Which cards each worker would give, and how full they would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.placement import layer_cards
from bayplan.placement.ask import Taking
from bayplan.placement.room import booked_mib

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, Column, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask
    from bayplan.placement.subject import Subject

    Numbers = npt.NDArray[Any]

_NEVER = np.iinfo(np.int64).max
PER_CARD_LEFT = 1e-6
"""Too little to outweigh anything that was measured, enough to keep large sets of cards together."""

OTHERS = 0.2
"""How much a replica of somebody else counts on a card beside one of the same workload."""


class ChosenCards:
    """Takes the cards with the least free memory that fit, unless that would leave room for fewer of the copies.

    `chosen` marks the cards, `fullness` is the largest part of what is free that one of them would give.
    """

    name = "chosen-cards"
    reads = (
        "card_room", "card_rank", "card_leader", "card_free_mib", "card_free_milli", "card_memory_mib",
        "card_kinds", "fit_shape", "fit_rank", "fit_leader",
    )  # fmt: skip
    produces = ("chosen", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        if ask.taking is Taking.NOTHING or ask.unknown:
            return _nothing(rows)
        if ask.taking is Taking.LAYERS:
            return _by_layers(ask, rows)
        worth = -rows.card_free_mib if ask.overcommit else rows.card_free_mib
        chosen, candidates, need = _choose(ask, rows, worth, spare=ask.copies > 1)
        return {"chosen": chosen, "fullness": _fullness(ask, rows, chosen, candidates, need)}


class EvenCards:
    """Takes the cards with the fewest replicas on them, those of the same workload before those of others.

    Where cards are oversold, the freest: less of it goes before any order.
    """

    name = "chosen-cards"
    reads = (*ChosenCards.reads, "card_bookings", "uid_hash")
    produces = ChosenCards.produces
    depends = Depends.CYCLE

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        if ask.taking is Taking.NOTHING or ask.unknown:
            return _nothing(rows)
        if ask.taking is Taking.LAYERS:
            return _by_layers(ask, rows)
        worth = -rows.card_free_mib if ask.overcommit else -1.0 / (1.0 + card_load(cycle.subject, rows))
        chosen, candidates, need = _choose(ask, rows, worth)
        return {"chosen": chosen, "fullness": _fullness(ask, rows, chosen, candidates, need)}


def card_load(subject: Subject, rows: Any) -> FloatArray:
    """Replicas on each card: siblings count whole, others a fifth."""
    siblings = subject.siblings.on_cards(rows.uid_hash, rows.card_bookings.shape[1])
    load: FloatArray = siblings + OTHERS * (rows.card_bookings - siblings)
    return load


def least(worth: Numbers, candidates: BoolArray, cards: Numbers) -> BoolArray:
    """Of the candidates in each row so many cards with the least worth, equals by position."""
    ranked = np.where(candidates, worth, _NEVER)
    if cards.size and cards.max() == 1:
        chosen = np.zeros(candidates.shape, np.bool_)
        lines = np.flatnonzero(cards == 1)
        chosen[lines, ranked[lines].argmin(1)] = True
        return chosen
    order = ranked.argsort(1, kind="stable")
    chosen = np.empty(candidates.shape, np.bool_)
    np.put_along_axis(chosen, order, np.arange(candidates.shape[1]) < cards[:, None], 1)
    return chosen


def _choose(ask: Ask, rows: Any, worth: Numbers, *, spare: bool = False) -> tuple[BoolArray, BoolArray, Numbers]:
    """The cards with the least worth, those among which they were chosen, and what each must hold.

    Where several kinds of cards would do equally well, the kind whose cards are worth least together.
    """
    cards, candidates, need = _candidates(ask, rows)

    def pick(among: BoolArray, number: Numbers) -> BoolArray:
        return _sparing(ask, rows, number, among, need) if spare else least(worth, among, number)

    if ask.overcommit or ask.rule.mixes_models or rows.card_kinds.max(initial=0) <= 1:
        return pick(candidates, cards), candidates, need
    alike = (rows.card_rank == rows.fit_rank[:, None]) & (rows.card_room >= need[:, None])
    chosen, lowest = np.zeros(alike.shape, np.bool_), np.full(len(cards), np.inf)
    for leader in np.unique(rows.card_leader[alike]).tolist():
        kind = alike & (rows.card_leader == leader)
        number = cards * (kind.sum(1) >= cards)
        found = pick(kind, number)
        together = np.where(found, worth, 0).sum(1)
        better = (number > 0) & (together < lowest)
        chosen[better], candidates[better], lowest[better] = found[better], kind[better], together[better]
    return chosen, candidates, need


def _candidates(ask: Ask, rows: Any) -> tuple[Numbers, BoolArray, Numbers]:
    """How many cards each row gives (0: none), which of its cards may be among them, and what each must hold."""
    fits = rows.fit_shape >= 0
    if len(ask.shapes) == 1:
        cards, need = fits * ask.shapes[0].cards, np.full(len(fits), ask.shapes[0].need_mib)
    else:
        number = np.maximum(rows.fit_shape, 0)
        cards, need = fits * ask.card_counts[number], ask.needs_mib[number]
    kind = (rows.card_leader == rows.fit_leader[:, None]) & (rows.card_rank >= 0)
    return cards, kind & (rows.card_room >= need[:, None]), need


def _sparing(ask: Ask, rows: Any, cards: Numbers, candidates: BoolArray, need: Numbers) -> BoolArray:
    """The least free cards that leave room for as many further copies as any choice does.

    A card holds `slots` copies. With m the most copies that fit, a card with fewer than m slots loses one that is
    wanted later; only `slack` of those may be taken.
    """
    slots = _slots(ask, rows, candidates, need)
    low, high = np.ones(len(cards), np.int64), np.full(len(cards), ask.copies, np.int64)
    while (low < high).any():
        middle = (low + high + 1) // 2
        holds = np.minimum(slots, middle[:, None]).sum(1) >= cards * middle
        low, high = np.where(holds, middle, low), np.where(holds, high, middle - 1)
    slack = np.minimum(slots, low[:, None] - 1).sum(1) - cards * (low - 1)
    small = candidates & (slots < low[:, None])
    taken = least(rows.card_free_mib, small, np.minimum(np.minimum(slack, cards), small.sum(1)))
    return taken | least(rows.card_free_mib, candidates & ~small, cards - taken.sum(1))


def _slots(ask: Ask, rows: Any, candidates: BoolArray, need: Numbers) -> Numbers:
    booked = np.maximum(booked_mib(ask, need[:, None], rows.card_memory_mib), 1)
    slots = np.maximum(rows.card_free_mib, 0) // booked
    if ask.compute_milli:
        by_compute = rows.card_free_milli // ask.compute_milli
        slots = np.minimum(slots, by_compute) if ask.rule.needs_memory else by_compute
    return np.where(candidates, slots, 0)


def _fullness(ask: Ask, rows: Any, chosen: BoolArray, candidates: BoolArray, need: Numbers) -> FloatArray:
    if ask.taking is Taking.WHOLE:
        given: BoolArray = np.asarray(chosen.any(1))
        return whole_fullness(given, (candidates & ~chosen).sum(1))
    free: Numbers = np.where(chosen, rows.card_free_mib, _NEVER).min(1)
    full: FloatArray = np.where(chosen.any(1), np.minimum(need / np.maximum(free, 1), 1.0), 0.0)
    return full


def whole_fullness(fits: BoolArray, left: Numbers) -> FloatArray:
    """Whole cards are as full as can be; of equals, the worker with the fewest idle cards left is a little fuller."""
    full: FloatArray = (1.0 - left * PER_CARD_LEFT) * fits
    return full


def _nothing(rows: Any) -> Mapping[str, Column]:
    return {"chosen": np.zeros(rows.card_room.shape, np.bool_), "fullness": np.zeros(rows.size)}


def _by_layers(ask: Ask, rows: Any) -> Mapping[str, Column]:
    """Row by row, equal rows once: engines that divide by layers are few, and so are the distinct states of workers."""
    layers = ask.layers
    assert layers is not None  # noqa: S101 (what LAYERS means)
    chosen, full = np.zeros(rows.card_room.shape, np.bool_), np.zeros(rows.size)
    kind = (rows.card_leader == rows.fit_leader[:, None]) & (rows.card_rank >= 0)
    free = np.where(kind, np.maximum(rows.card_room, 0), 0)
    known: dict[tuple[int, ...], tuple[list[int], float]] = {}
    for row in np.flatnonzero(rows.fit_shape >= 0).tolist():
        amounts = free[row].tolist()
        key = (int(rows.fit_shape[row]), *amounts)
        if key not in known:
            places = layer_cards.choose(layers, amounts, key[0])
            known[key] = places, layer_cards.fullness(layers, [amounts[place] for place in places])
        places, full[row] = known[key]
        chosen[row, places] = True
    return {"chosen": chosen, "fullness": full}

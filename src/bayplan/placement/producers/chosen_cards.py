"""Which cards each worker would give, and how full they would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.cheapest_cards import NEVER
from bayplan.placement.cards.layers.layer_choice import choose_layers
from bayplan.placement.cards.linked.near_sets import NO_ISLAND
from bayplan.placement.cards.places import READS as PLACE_READS, dealt, fullness as place_fullness
from bayplan.placement.cards.room import booked_mib, holds
from bayplan.placement.cards.set_picks import READS, pick_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, Column, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject

    Numbers = npt.NDArray[Any]

PER_CARD_LEFT = 1e-6
"""Too little to outweigh anything that was measured, enough to keep large sets of cards together."""

_NO_CARD = 1 << 30
_EXACT = 1 << 40
"""What 1.0 counts where worths must be whole numbers."""

_MOST_MIB = 1 << 40
"""More than a card has."""

OTHERS = 0.2
"""How much a replica of somebody else counts on a card beside one of the same workload."""


class ChosenCards:
    """Takes the cards with the least free memory that fit, unless that would leave room for fewer of the copies.

    Of several cards all are linked as the workload demands; then they come from the island (what NVLink joins, or the
    socket where one is demanded) with the fewest free cards that suffice. `chosen` marks the cards, `fullness` is the
    largest part of what is free that one of them would give. Where a workload asks for compute and no memory, compute
    takes the place of memory.
    """

    name = "chosen-cards"
    reads = (
        "card_room", "card_rank", "card_leader", "card_free_mib", "card_free_milli", "card_memory_mib",
        "card_kinds", "fit_shape", "fit_rank", "fit_leader", *PLACE_READS, *READS,
    )  # fmt: skip
    produces = ("chosen", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        spare = ask.copies > 1 and ask.taking is Taking.SHARE
        return _columns(ask, rows, lambda: -rows.card_free_mib if ask.overcommit else _free(ask, rows), spare=spare)


class RoomyCards:
    """Takes the cards with the most free memory."""

    name = "chosen-cards"
    reads = ChosenCards.reads
    produces = ChosenCards.produces

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return _columns(ask, rows, lambda: -rows.card_free_mib)


class EvenCards:
    """Takes the cards with the fewest replicas on them, those of the same workload before those of others.

    Where cards are oversold, the cards with the most free memory come first.
    """

    name = "chosen-cards"
    reads = (*ChosenCards.reads, "card_bookings", "uid_hash")
    produces = ChosenCards.produces
    depends = Depends.CYCLE

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return _columns(ask, rows, lambda: -rows.card_free_mib if ask.overcommit else crowding(cycle.subject, rows))


def _columns(ask: Ask, rows: Any, worth: Callable[[], Numbers], *, spare: bool = False) -> Mapping[str, Column]:
    """Both columns; what cards are worth is worked out only where there is a choice among them."""
    if ask.taking is Taking.NOTHING or ask.unknown:
        return _nothing(rows)
    if ask.taking is Taking.LAYERS:
        return dict(zip(ChosenCards.produces, choose_layers(ask, rows), strict=True))
    if ask.taking is Taking.PLACES:
        given = dealt(ask, rows)
        return {"chosen": given > 0, "fullness": place_fullness(given, rows)}
    chosen, candidates, need = _choose(ask, rows, worth(), spare=spare)
    return {"chosen": chosen, "fullness": _fullness(ask, rows, chosen, candidates, need)}


def card_load(subject: Subject, rows: Any) -> FloatArray:
    """Replicas on each card: siblings count whole, others a fifth."""
    siblings = subject.siblings.on_cards(rows.uid_hash, rows.card_bookings.shape[1])
    load: FloatArray = siblings + OTHERS * (rows.card_bookings - siblings)
    return load


def crowding(subject: Subject, rows: Any) -> Numbers:
    """The fewer replicas on a card, the less: as whole numbers, so that sums of equals are equal."""
    numbers: Numbers = np.rint(-_EXACT / (1.0 + card_load(subject, rows))).astype(np.int64)
    return numbers


def _choose(ask: Ask, rows: Any, worth: Numbers, *, spare: bool = False) -> tuple[BoolArray, BoolArray, Numbers]:
    """The cards with the least worth, those among which they were chosen, and what each must hold.

    Where several kinds of cards would do equally well, the kind with the smallest island that suffices, then that
    whose cards are worth least together.
    """
    cards, candidates, number = _candidates(ask, rows)
    need = ask.needs_mib[number]

    def pick(among: BoolArray, count: Numbers) -> tuple[BoolArray, Numbers]:
        return pick_sets(ask, rows, among, count, worth, _slots(ask, rows, among, number) if spare else None)

    if ask.overcommit or ask.rule.mixes_models or rows.card_kinds.max(initial=0) <= 1:
        return pick(candidates, cards)[0], candidates, need
    held = holds(ask, ask.at(number[:, None]), rows.card_room, rows.card_memory_mib)
    alike = (rows.card_rank == rows.fit_rank[:, None]) & held
    chosen = np.zeros(alike.shape, np.bool_)
    smallest, lowest = np.full(len(cards), NO_ISLAND + 1), np.full(len(cards), NEVER)
    for leader in np.unique(rows.card_leader[alike]).tolist():
        kind = alike & (rows.card_leader == leader)
        found, size = pick(kind, cards * (kind.sum(1) >= cards))
        together = np.where(found, worth, 0).sum(1)
        better = found.any(1) & ((size < smallest) | ((size == smallest) & (together < lowest)))
        chosen[better], candidates[better] = found[better], kind[better]
        smallest[better], lowest[better] = size[better], together[better]
    return chosen, candidates, need


def _candidates(ask: Ask, rows: Any) -> tuple[Numbers, BoolArray, Numbers]:
    """How many cards each row gives (0: none), which of its cards may be among them, and the number of its shape."""
    number = np.maximum(rows.fit_shape, 0)
    cards = (rows.fit_shape >= 0) * ask.card_counts[number]
    kind = (rows.card_leader == rows.fit_leader[:, None]) & (rows.card_rank >= 0)
    return cards, kind & holds(ask, ask.at(number[:, None]), rows.card_room, rows.card_memory_mib), number


def _slots(ask: Ask, rows: Any, candidates: BoolArray, number: Numbers) -> Numbers:
    need = ask.at(number[:, None])
    wanted = np.maximum(booked_mib(ask, need, rows.card_memory_mib) + need.headroom_mib, 1)
    slots = np.maximum(rows.card_free_mib, 0) // wanted
    if ask.compute_milli:
        by_compute = rows.card_free_milli // ask.compute_milli
        slots = np.minimum(slots, by_compute) if ask.rule.needs_memory else by_compute
    return np.where(candidates, slots, 0)


def _fullness(ask: Ask, rows: Any, chosen: BoolArray, candidates: BoolArray, need: Numbers) -> FloatArray:
    if ask.taking is Taking.WHOLE and not ask.rule.needs_memory:
        given: BoolArray = np.asarray(chosen.any(1))
        return whole_fullness(given, (candidates & ~chosen).sum(1))
    if ask.by_compute:
        part: FloatArray = ask.compute_milli / np.where(chosen, rows.card_free_milli, _NO_CARD).min(1)
        return part * chosen.any(1)
    free: Numbers = np.where(chosen, rows.card_free_mib, NEVER).min(1)
    full: FloatArray = np.where(chosen.any(1), np.minimum(need / np.maximum(free, 1), 1.0), 0.0)
    return full


def whole_fullness(fits: BoolArray, left: Numbers) -> FloatArray:
    """Whole cards are as full as can be; of equals, the worker with the fewest idle cards left is a little fuller."""
    full: FloatArray = (1.0 - left * PER_CARD_LEFT) * fits
    return full


def _free(ask: Ask, rows: Any) -> Numbers:
    """What is free of each card: memory, or where none is asked for compute, then memory."""
    free: Numbers = rows.card_free_mib
    if ask.by_compute:
        free = rows.card_free_milli.astype(np.int64) * _MOST_MIB + free
    return free


def _nothing(rows: Any) -> Mapping[str, Column]:
    return {"chosen": np.zeros(rows.card_room.shape, np.bool_), "fullness": np.zeros(rows.size)}

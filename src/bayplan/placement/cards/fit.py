"""Which of an ask's shapes each worker can give, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.cheapest_cards import NEVER
from bayplan.placement.cards.layers.layer_cards import layer_fits
from bayplan.placement.cards.linked.linked_layers import linked_layer_fits
from bayplan.placement.cards.linked.linked_sets import demands, lacking
from bayplan.placement.cards.masks import masks_of
from bayplan.placement.cards.room import holds
from bayplan.placement.cards.rows import some_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.framework.plugins import BoolArray, Column
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

UNFIT = -1
"""No number of a shape, a rank or a position of a card is negative."""


class FittingShape(NamedTuple):
    """The shape that each worker gives; UNFIT where it gives none.

    `shape` is the number of the shape, `rank` the place of its cards in the order of preference, `leader` the first
    card of their kind. `order` is what *fewest cards* compares: smaller is better. Where a shape would fit if the
    cards were linked otherwise, `order` is UNFIT less what they lack: -2 for the locality, -3 for the bandwidth, -4
    for both.
    """

    shape: Numbers
    order: Numbers
    rank: Numbers
    leader: Numbers


READS = (
    "card_rank", "card_leader", "card_kinds", "card_free_mib", "card_share_free_mib", "card_shareable",
    "card_wholly_free", "card_free_milli", "card_memory_mib", "card_places_free", "card_bookings", "links_id",
    "cards_id", "pools",
)  # fmt: skip
COLUMNS = ("card_room", "fit_shape", "fit_order", "fit_rank", "fit_leader")


def fit_columns(ask: Ask, rows: CardRows, room_of: Callable[[Ask, CardRows], Numbers]) -> dict[str, Column]:
    """The columns COLUMNS; `room_of` says how much of each card the ask may take."""
    if ask.taking is Taking.NOTHING or ask.unknown:
        # without cards the first shape fits everywhere
        nothing = np.full(rows.size, UNFIT if ask.unknown else 0, np.int64)
        room = np.zeros(rows.card_rank.shape, np.int64)
        return {**dict.fromkeys(COLUMNS[1:], nothing), "card_room": room}
    room = room_of(ask, rows)
    return dict(zip(COLUMNS, (room, *fitting_shapes(ask, rows, room)), strict=True))


def fitting_shapes(ask: Ask, rows: CardRows, room: Numbers) -> FittingShape:
    """The best shape of each row over all kinds of its cards."""
    if rows.card_kinds.size and rows.card_kinds.max() > 1:
        return _over_kinds(ask, rows, room)
    shape, order = _of_one_kind(ask, rows, room)
    fits = order >= 0
    usable = rows.card_rank >= 0
    first = usable.argmax(1)  # argmax finds the first True; rows without any do not fit
    lines = np.arange(len(first))
    rank = np.where(fits, rows.card_rank[lines, first], UNFIT).astype(np.int64)
    leader = np.where(fits, rows.card_leader[lines, first], UNFIT).astype(np.int64)
    return FittingShape(shape, order, rank, leader)


_ONE_KIND_READS = ("links_id", "cards_id", "card_free_mib", "card_memory_mib")


def _over_kinds(ask: Ask, rows: CardRows, room: Numbers) -> FittingShape:
    size = len(room)
    best = FittingShape(*(np.full(size, UNFIT, np.int64) for _ in FittingShape._fields))
    least_free = np.full(size, NEVER)
    usable = rows.card_rank >= 0
    for leader in np.unique(rows.card_leader[usable]).tolist():
        kind = usable & (rows.card_leader == leader)
        index = np.flatnonzero(kind.any(1))
        kind = kind[index]
        mine = some_rows(rows, _ONE_KIND_READS, index).having(card_rank=np.where(kind, rows.card_rank[index], -1))
        shape, order = _of_one_kind(ask, mine, np.where(kind, room[index], UNFIT))
        rank = np.where(kind, rows.card_rank[index], -1).max(1).astype(np.int64)
        free = np.where(kind, rows.card_free_mib[index], 0).max(1)
        held = FittingShape(*(column[index] for column in best))
        # The preferred model first, then the better order, then the kind with the least free memory.
        better = (order >= 0) & (
            (held.order < 0)
            | (rank < held.rank)
            | ((rank == held.rank) & (order < held.order))
            | ((rank == held.rank) & (order == held.order) & (free < least_free[index]))
        )
        rows_won = index[better]
        for column, value in zip(best, (shape, order, rank, np.full(len(index), leader)), strict=True):
            column[rows_won] = value[better]
        least_free[rows_won] = free[better]
        orders = best.order[index]
        keep_nearest(orders, order)
        best.order[index] = orders
    return best


def keep_nearest(order: Numbers, told: Numbers) -> None:
    """Where nothing fits yet, write into `order` what the cards lack to be linked; keep the smaller lack of two."""
    # below UNFIT, the larger number lacks less
    nearer = (told < UNFIT) & ((order == UNFIT) | ((order < UNFIT) & (told > order)))
    order[nearer] = told[nearer]


def _of_one_kind(ask: Ask, rows: CardRows, room: Numbers) -> tuple[Numbers, Numbers]:
    """Shape and order of rows whose usable cards are all of one kind."""
    if ask.taking is Taking.LAYERS:
        return linked_layer_fits(ask, rows, room) if demands(ask) else layer_fits(ask, room)
    if ask.overcommit:
        return _least_oversold(ask, rows, room)
    if demands(ask):
        return _first_linked(ask, rows, room)
    if len(ask.shapes) == 1 or ask.fit is not None:
        return _first(ask, rows, room)
    width = room.shape[1]
    possible = np.flatnonzero(ask.card_counts <= width)
    if not len(possible):
        nothing = np.full(len(room), UNFIT)
        return nothing, nothing
    roomiest = np.sort(room, axis=1)[:, ::-1]  # descending: column n - 1 is the room of the n-th roomiest card
    fits = roomiest[:, ask.card_counts[possible] - 1] >= ask.rooms_mib[possible]
    shape = np.where(fits.any(1), possible[fits.argmax(1)], UNFIT)  # argmax: the first shape that fits
    return shape, shape


def _first(ask: Ask, rows: CardRows, room: Numbers) -> tuple[Numbers, Numbers]:
    """The first shape that enough cards hold."""
    shape = np.full(len(room), UNFIT)
    for number, each in enumerate(ask.shapes):
        if ask.taking is Taking.PLACES:  # of one card there may be several
            shape[np.maximum(room, 0).sum(1) >= each.cards] = number
            continue
        cards = holds(ask, each, room, rows.card_memory_mib)
        fits = cards.sum(1) >= each.cards if each.cards > 1 else cards.any(1)
        shape[fits & (shape == UNFIT)] = number
    return shape, shape


def _first_linked(ask: Ask, rows: CardRows, room: Numbers) -> tuple[Numbers, Numbers]:
    """The first shape for which enough cards are linked as the ask demands."""
    shape = np.full(len(room), UNFIT)
    order = shape.copy()
    for number, each in enumerate(ask.shapes):
        lacks = _lacks(ask, rows, holds(ask, each, room, rows.card_memory_mib), each.cards)
        fits = (lacks == 0) & (shape == UNFIT)
        shape[fits] = order[fits] = number
        # 1 to 3 become -2 to -4; a lack of 0 or UNFIT stays above UNFIT and is ignored
        keep_nearest(order, UNFIT - lacks)
    return shape, order


def _lacks(ask: Ask, rows: CardRows, usable: BoolArray, cards: int) -> Numbers:
    """What a set of `cards` usable cards lacks to be linked as the ask demands; UNFIT where they are too few."""
    lacks = np.full(len(usable), UNFIT)
    enough = np.flatnonzero(usable.sum(1) >= cards)
    lacks[enough] = lacking(ask, rows, masks_of(usable[enough]), cards, enough)
    return lacks


def _least_oversold(ask: Ask, rows: CardRows, room: Numbers) -> tuple[Numbers, Numbers]:
    """Where cards may be oversold: the shape that oversells least, by how much it does."""
    size, width = room.shape
    best, least, told = np.full(size, UNFIT), np.full(size, NEVER), np.full(size, UNFIT)
    for number, shape in enumerate(ask.shapes):
        if shape.cards > width:
            continue
        usable = holds(ask, shape, room, rows.card_memory_mib)
        wanted = booked_mib(ask, shape, rows.card_memory_mib) + shape.headroom_mib
        excess = wanted - np.maximum(rows.card_free_mib, 0)
        # NEVER sorts unusable cards last
        excess = np.sort(np.where(usable, np.maximum(excess, 0), NEVER), axis=1)[:, : shape.cards]
        lacks = _lacks(ask, rows, usable, shape.cards)
        keep_nearest(told, UNFIT - lacks)
        enough = lacks == 0
        short = np.where(enough[:, None], excess, 0).sum(1)  # a sum with NEVER in it would overflow
        better = enough & (short < least)
        best[better], least[better] = number, short[better]
    return best, np.where(best >= 0, least, told)

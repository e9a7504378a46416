"""The one way to choose cards: rows go in, and of each row the cards that it would give come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards import fit, usable
from bayplan.placement.cards.cheapest_cards import NEVER
from bayplan.placement.cards.fullness import share_fullness
from bayplan.placement.cards.layers.layer_choice import choose_layers
from bayplan.placement.cards.linked.near_sets import NO_ISLAND
from bayplan.placement.cards.mig.instances import ROOM_READS
from bayplan.placement.cards.numa import zones
from bayplan.placement.cards.numa.zone_fit import aligned_room, aligned_slices
from bayplan.placement.cards.places import READS as PLACE_READS, dealt, fullness as place_fullness
from bayplan.placement.cards.room import holds, room_of
from bayplan.placement.cards.rows import gathered
from bayplan.placement.cards.set_picks import READS as SET_READS, pick_sets

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, FloatArray, IndexArray
    from bayplan.placement.asks.ask import Ask, CardShape
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.rows import CardRows, GatheredRows, Gathering, Numbers

CardOrder: TypeAlias = Literal["tight", "even", "roomy"]
"""Which cards are taken first: with the least free memory, with the fewest replicas, with the most free memory."""

READS = (
    "card_room", "card_rank", "card_leader", "card_free_mib", "card_free_milli", "card_memory_mib",
    "card_kinds", "fit_shape", "fit_rank", "fit_leader", *PLACE_READS, *SET_READS,
)  # fmt: skip
EVEN_READS = (*READS, "card_bookings", "uid_hash")
"""What the order `even` reads: it also counts replicas on cards."""

COLUMNS = ("chosen", "fullness")
"""What the producers of chosen cards make of `GivenCards`."""

OTHERS = 0.2
"""How much a replica of another workload counts on a card, where one of the same workload counts 1."""

_EXACT = 1 << 40
"""The worth of an empty card under `even`: worths are whole numbers, so that sums of equal worths are equal."""

_MOST_MIB = 1 << 40
"""More than a card has: compute times this, plus memory, compares compute first."""

_MADE = {*usable.COLUMNS, *fit.COLUMNS, "pools"}
_READ = tuple(sorted({*usable.READS, *fit.READS, *EVEN_READS} - _MADE))
_BESIDE = ("card_runtime_id", "card_model_id", "ram_free_mib")
"""What callers of `look` read besides."""

_ZONED = tuple(sorted({*zones.READS} - _MADE - {*_READ, *_BESIDE}))
_SLICED = tuple(sorted({*usable.READS, *zones.READS, *ROOM_READS} - _MADE))


class GivenCards(NamedTuple):
    """The cards that each row gives, how many places each of them gives, and how full they would be.

    A card that is not shared by places counts as one place.
    """

    chosen: BoolArray
    places: Numbers
    fullness: FloatArray


def look(ask: Ask, table: Gathering, index: IndexArray) -> GatheredRows:
    """These rows with their usable cards, the room on them, and what fits: as the producers of a profile show them."""
    strict = zones.any_strict(table.shared["pools"])
    rows = gathered(table, (*_READ, *_BESIDE, *(_ZONED if strict else ())), index)
    rows = rows.having(**usable.usable_cards(ask, rows))
    return rows.having(**fit.fit_columns(ask, rows, aligned_room if strict else room_of))


def slice_places(ask: Ask, table: Gathering, row: int) -> list[int]:
    """The positions of the cards from which a worker that insists on single NUMA zones may give MIG instances."""
    rows = gathered(table, _SLICED, np.array([row], np.intp))
    rows = rows.having(**usable.usable_cards(ask, rows))
    return np.flatnonzero(aligned_slices(ask, rows)[0]).tolist()


def choose(ask: Ask, rows: CardRows, order: CardOrder, subject: Subject | None = None) -> GivenCards:
    """The cards that each row gives in an order; only `even` looks at the subject.

    Of several cards all are linked as the workload demands; then they come from the island (what NVLink joins, or the
    socket where one is demanded) with the fewest free cards that suffice.
    """
    if ask.taking is Taking.NOTHING or ask.unknown:
        return _given(np.zeros(rows.card_room.shape, np.bool_), np.zeros(rows.size))
    if ask.taking is Taking.LAYERS:
        return _given(*choose_layers(ask, rows))
    if ask.taking is Taking.PLACES:
        places = dealt(ask, rows)
        return GivenCards(places > 0, places, place_fullness(places, rows))
    spare = order == "tight" and ask.copies > 1 and ask.taking is Taking.SHARE
    chosen, candidates, need = _choose(ask, rows, _card_worth(ask, rows, order, subject), spare=spare)
    return _given(chosen, share_fullness(ask, rows, chosen, candidates, need))


def choose_number(
    ask: Ask,
    rows: CardRows,
    shape: CardShape,
    kind: BoolArray,
    number: Numbers,
    order: CardOrder,
    subject: Subject,
) -> BoolArray:
    """The cards of a replica that spans workers: `number` of each row, among the cards of that kind."""
    candidates = (rows.card_rank >= 0) & kind & holds(ask, shape, rows.card_room, rows.card_memory_mib)
    return pick_sets(ask, rows, candidates, number, _card_worth(ask, rows, order, subject)).chosen


def _given(chosen: BoolArray, fullness: FloatArray) -> GivenCards:
    return GivenCards(chosen, chosen, fullness)


def _card_worth(ask: Ask, rows: CardRows, order: CardOrder, subject: Subject | None) -> Numbers:
    """What each card is worth in an order: the cards that are worth least are taken first.

    Where cards are oversold, the cards with the most free memory come first in every order.
    """
    if order == "roomy" or ask.overcommit:
        return -rows.card_free_mib  # what is worth least is taken first, so that most free memory must be least worth
    if order == "even" and subject is not None:
        return _crowding(subject, rows)
    if ask.by_compute:
        return rows.card_free_milli.astype(np.int64) * _MOST_MIB + rows.card_free_mib
    return rows.card_free_mib


def _card_load(subject: Subject, rows: CardRows) -> FloatArray:
    """Replicas on each card: siblings count whole, others a fifth."""
    siblings = subject.siblings.on_cards(rows.uid_hash, rows.card_bookings.shape[1])
    load: FloatArray = siblings + OTHERS * (rows.card_bookings - siblings)
    return load


def _crowding(subject: Subject, rows: CardRows) -> Numbers:
    """A number for each card that is smaller the fewer replicas are on it."""
    numbers: Numbers = np.rint(-_EXACT / (1.0 + _card_load(subject, rows))).astype(np.int64)
    return numbers


def _choose(ask: Ask, rows: CardRows, worth: Numbers, *, spare: bool = False) -> tuple[BoolArray, BoolArray, Numbers]:
    """The cards with the least worth, the candidates among which they were chosen, and what each must hold.

    Where several kinds of cards would do equally well, the kind with the smallest island that suffices, then the
    kind whose cards are worth least together.
    """
    cards, candidates, number = _candidates(ask, rows)
    need = ask.needs_mib[number]

    def pick(among: BoolArray, count: Numbers) -> tuple[BoolArray, Numbers]:
        return pick_sets(ask, rows, among, count, worth, _slots(ask, rows, among, number) if spare else None)

    if ask.overcommit or ask.rule.mixes_models or rows.card_kinds.max(initial=0) <= 1:
        return pick(candidates, cards)[0], candidates, need
    held = holds(ask, ask.at(number[:, None]), rows.card_room, rows.card_memory_mib)
    alike = (rows.card_rank == rows.fit_rank[:, None]) & held
    if ask.taking is Taking.SHARE and bool((ask.card_counts == 1).all()):  # one card needs no kind to itself
        return pick(alike, cards)[0], alike, need
    chosen = np.zeros(alike.shape, np.bool_)
    # above every set, so that the first one wins
    smallest, lowest = np.full(len(cards), NO_ISLAND + 1), np.full(len(cards), NEVER)
    for leader in np.unique(rows.card_leader[alike]).tolist():
        kind = alike & (rows.card_leader == leader)
        found, size = pick(kind, cards * (kind.sum(1) >= cards))  # 0 cards, so none, where the kind has too few
        together = np.where(found, worth, 0).sum(1)
        better = found.any(1) & ((size < smallest) | ((size == smallest) & (together < lowest)))
        chosen[better], candidates[better] = found[better], kind[better]
        smallest[better], lowest[better] = size[better], together[better]
    return chosen, candidates, need


def _candidates(ask: Ask, rows: CardRows) -> tuple[Numbers, BoolArray, Numbers]:
    """How many cards each row gives (0: none), which of its cards are eligible, and the number of its shape."""
    number = np.maximum(rows.fit_shape, 0)  # UNFIT is no index; the next line gives such rows no cards
    cards = (rows.fit_shape >= 0) * ask.card_counts[number]
    kind = (rows.card_leader == rows.fit_leader[:, None]) & (rows.card_rank >= 0)
    return cards, kind & holds(ask, ask.at(number[:, None]), rows.card_room, rows.card_memory_mib), number


def _slots(ask: Ask, rows: CardRows, candidates: BoolArray, number: Numbers) -> Numbers:
    """How many shares each candidate holds, for asks of which several copies are still to be placed."""
    need = ask.at(number[:, None])
    wanted = np.maximum(booked_mib(ask, need, rows.card_memory_mib) + need.headroom_mib, 1)  # at least 1, to divide by
    slots = np.maximum(rows.card_free_mib, 0) // wanted
    if ask.compute_milli:
        by_compute = rows.card_free_milli // ask.compute_milli
        slots = np.minimum(slots, by_compute) if ask.rule.needs_memory else by_compute
    return np.where(candidates, np.maximum(slots, 1), 0)  # a candidate holds one share, be it of 0 MiB

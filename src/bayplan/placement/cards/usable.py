"""Which cards of each worker an ask may use at all, bookings aside."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.card_facts import UNUSABLE, card_facts
from bayplan.placement.cards.device_offers import served
from bayplan.placement.cards.distinct import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.card_set import CardSet
    from bayplan.framework.plugins import BoolArray, Column
    from bayplan.placement.asks.ask import Ask, CardRule
    from bayplan.placement.cards.rows import CardRows, Masks, Numbers


READS = ("cards_id", "card_count", "card_memory_mib", "uid_hash", "device_offer_id", "pools")
COLUMNS = ("card_rank", "card_leader", "card_kinds", "card_usable", "kind_masks")


def usable_cards(ask: Ask, rows: CardRows) -> dict[str, Column]:
    """The columns COLUMNS: a card's position in the order of preference, and which cards may work together.

    A card that is unhealthy, too small, not selected, of another model than asked for, or of a runtime on which the
    engine does not run, does not exist for the ask. The same holds for a card that is cut into slices, unless slices
    are asked for, and for all cards of a worker that offers other devices under the name that is asked for.
    """
    distinct, which = numbered(rows.cards_id)
    cards = tuple([rows.pools.cards[number] for number in distinct])
    made = _of_sets(ask.rule, cards, rows.card_memory_mib.shape[1], cut=ask.taking is Taking.SLICES)
    open_rows = served(ask, rows)
    if ask.selected is None and open_rows is None:
        return {name: column.take(which, 0) for name, column in made.items()}
    rank = made["card_rank"][which]
    if ask.selected is not None:
        rank[~_selected(ask, rows)] = UNUSABLE
    if open_rows is not None:
        rank[~open_rows] = UNUSABLE
    return _together(rank, made["card_leader"][which], made["card_kinds"][which])


def usable_places(ask: Ask, cards: CardSet, uid: int) -> Sequence[int]:
    """The positions of one worker's cards that an ask may use; `uid` is the hash of the worker's uid."""
    places = card_facts(ask.rule, cards, cut=ask.taking is Taking.SLICES).usable
    if ask.selected is None:
        return places
    return [place for place in places if (uid, cards.cards[place]) in ask.selected]


@lru_cache(maxsize=64)  # an entry holds columns of all distinct sets of cards; few rules are in use at a time
def _of_sets(rule: CardRule, sets: tuple[CardSet, ...], width: int, *, cut: bool) -> Mapping[str, Column]:
    """The columns of distinct sets of cards; most asks share their rule with others."""
    ranks = np.full((len(sets), width), UNUSABLE, np.int16)
    leaders = np.zeros((len(sets), width), np.int16)
    kinds = np.zeros(len(sets), np.int16)
    for place, cards in enumerate(sets):
        facts = card_facts(rule, cards, cut=cut)
        ranks[place, : len(facts.ranks)] = facts.ranks
        leaders[place, : len(facts.leaders)] = facts.leaders
        kinds[place] = facts.kinds
    return _together(ranks, leaders, kinds)


def _together(rank: Numbers, leader: Numbers, kinds: Numbers) -> dict[str, Column]:
    usable = rank >= 0
    return {
        "card_rank": rank,
        "card_leader": leader,
        "card_kinds": kinds,
        "card_usable": usable,
        "kind_masks": _masks(leader, usable),
    }


def _selected(ask: Ask, rows: CardRows) -> BoolArray:
    chosen: BoolArray = np.zeros(rows.card_memory_mib.shape, np.bool_)
    for uid_hash, card in ask.selected or ():
        for row in np.flatnonzero(rows.uid_hash == uid_hash).tolist():
            position = rows.pools.cards[int(rows.cards_id[row])].position.get(card)
            if position is not None:
                chosen[row, position] = True
    return chosen


def _masks(leader: Numbers, usable: BoolArray) -> Masks:
    """At the position of each leader the usable cards of its kind as bits.

    Cards beyond MASK_CARDS have no bit: profiles use these masks only where no worker has more.
    """
    masks: Masks = np.zeros(usable.shape, np.uint16)
    lines = np.arange(len(masks))
    for position in range(min(MASK_CARDS, masks.shape[1])):
        # Each step writes one cell a row: with an index array, `|=` would lose a cell that is named twice.
        masks[lines, leader[:, position]] |= usable[:, position].astype(np.uint16) << np.uint16(position)
    return masks

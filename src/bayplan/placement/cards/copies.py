"""How many copies of an ask the cards of each worker hold, where that can be worked out at once.

The plain definition is to book one copy after the other (`gangs/lookahead.py`); a property compares both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.linked.linked_sets import demands
from bayplan.placement.cards.masks import BIT_COUNTS

if TYPE_CHECKING:
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

MANY_COPIES = 1 << 30
"""Where nothing limits the number of copies: more than any cluster holds, and sums over a cluster still fit 64 bits."""


def card_copies(ask: Ask, rows: CardRows) -> Numbers | None:
    """The number of copies; None where it matters which cards the former copies took.

    It does not matter if a copy takes one share of one card, or any whole cards of one kind.
    """
    if ask.taking is Taking.NOTHING:
        return np.full(rows.size, MANY_COPIES)
    # the masks below have MASK_CARDS bits
    if not ask.quick or ask.exclusive or rows.card_memory_mib.shape[1] > MASK_CARDS:
        return None
    if ask.taking is Taking.WHOLE:
        return None if demands(ask) and ask.card_counts[0] > 1 else _whole(ask, rows)
    return _shares(ask, rows)


def _whole(ask: Ask, rows: CardRows) -> Numbers:
    """Cards of one replica are of one kind, so each kind is counted by itself."""
    free = BIT_COUNTS.take(rows.kind_masks & rows.wholly_free[:, None])
    found: Numbers = (free // ask.card_counts[0]).sum(1, dtype=np.int64)
    return found


def _shares(ask: Ask, rows: CardRows) -> Numbers | None:
    """Every usable card by itself: what is free of it, and on cards with places how many of these are free."""
    usable = rows.card_usable & rows.card_shareable
    if ask.by_compute:
        each = rows.card_free_milli // ask.compute_milli
    elif room_mib := int(ask.rooms_mib[0]):
        each = np.maximum(rows.card_share_free_mib, 0) // room_mib  # an unknown amount is negative, and holds no share
    else:
        return None  # a share of nothing fits any number of times
    # A card with 0 places is not offered in places, so that nothing limits their number.
    places = np.where(rows.card_places > 0, rows.card_places - rows.card_places_held, MANY_COPIES)
    found: Numbers = np.where(usable, np.minimum(each, places), 0).sum(1, dtype=np.int64)
    return found

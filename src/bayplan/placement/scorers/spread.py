"""Prefer workers and cards with few replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.choose import OTHERS

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class Spread:
    """Scores a worker by its replicas of this workload (c) and of others (o), compared with the other candidates.

    Where some candidate has none of this workload, those without come first. With cards, 0.85 of that and 0.15 of the
    mean over the cards it would give of 1 / (1 + c + 0.2·o), counted on the card. A booking counts once, however many
    cards it holds.
    """

    name = "spread"
    reads = ("bookings", "card_bookings", "chosen", "uid_hash")
    depends = Depends.TABLE
    cards = "even"

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        siblings = cycle.subject.siblings
        mine = siblings.on_workers(rows.uid_hash)
        others = rows.bookings - mine
        worker = _worker_part(mine, _inverse(mine), _inverse(others))
        if ask.taking is Taking.NOTHING:
            return worker
        on_cards = siblings.on_cards(rows.uid_hash, rows.card_bookings.shape[1])
        alone = 1.0 / (1.0 + on_cards + OTHERS * (rows.card_bookings - on_cards))
        cards = np.where(rows.chosen, alone, 0.0).sum(1) / np.maximum(rows.chosen.sum(1), 1)
        score: FloatArray = 0.85 * worker + 0.15 * cards
        return score


def _worker_part(mine: Any, few_mine: FloatArray, few_others: FloatArray) -> FloatArray:
    if (mine == 0).any():
        part: FloatArray = np.where(mine == 0, 0.85 + 0.15 * few_others, 0.45 + 0.35 * few_mine + 0.20 * few_others)
        return part
    return 0.50 + 0.25 * few_mine + 0.15 * few_others


def _inverse(counts: Any) -> FloatArray:
    """1 for the smallest count, 0 for the largest, 1 everywhere if they are all equal."""
    low, high = counts.min(), counts.max()
    if low == high:
        return np.ones(len(counts))
    inverse: FloatArray = 1.0 - (counts - low) / (high - low)
    return inverse

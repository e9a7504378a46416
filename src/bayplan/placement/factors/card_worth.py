"""What a worker's cards are worth by themselves: their number, their generation and their link to the host."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.cluster.catalogue import resolve
from bayplan.placement.factors.parts import NEUTRAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.card_set import CardSet
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.cards.rows import WorkerRows

MANY_CARDS = 8
TOP_CAPABILITY = 10.0
TOP_PCIE_GEN = 5
"""What counts as 1.0: an eight-card machine, compute capability 10 (Blackwell), PCIe 5; more counts as much."""


class Worth(NamedTuple):
    """The mean of the three parts, and which of them is not known of some card."""

    mean: FloatArray
    missing: Mapping[str, BoolArray]


def card_worth(rows: WorkerRows) -> Worth:
    """The worth of the cards of each row; asked once a distinct set."""
    distinct, which = np.unique(rows.cards_id, return_inverse=True)
    found = [_worth_of(rows.pools.cards[number]) for number in distinct.tolist()]
    table = np.array(found, np.float64).reshape(-1, 3)[which]
    return Worth(table[:, 0], {"computeCapability": table[:, 1] > 0, "pcieGen": table[:, 2] > 0})


@lru_cache(maxsize=4096)
def _worth_of(cards: CardSet) -> tuple[float, bool, bool]:
    """Mean, whether a compute capability is missing, whether a PCIe generation is; a worker without cards has 0."""
    if not len(cards):
        return 0.0, False, False
    capabilities = [_capability(model) for model in cards.models]
    links = [None if gen < 0 else gen for gen in cards.pcie_gen]
    parts = (min(1.0, len(cards) / MANY_CARDS), _part(capabilities, TOP_CAPABILITY), _part(links, TOP_PCIE_GEN))
    return sum(parts) / 3, None in capabilities, None in links


def _capability(model: str | None) -> float | None:
    entry = resolve(model) if model else None
    return entry.compute_capability if entry else None


def _part(values: Sequence[float | None], top: float) -> float:
    return sum(NEUTRAL if value is None else min(1.0, value / top) for value in values) / len(values)

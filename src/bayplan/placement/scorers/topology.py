"""Prefer the worker whose cards are nearest to each other and to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.linked.linked_sets import slowest_gb_per_s
from bayplan.placement.factors.parts import NEUTRAL, mean_of, not_known, part, share

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

    Numbers = npt.NDArray[Any]

MOST_GB_PER_S = 900.0
NEWEST_PCIE_GEN = 5


class Topology:
    """Scores the mean of three parts over the cards that would be taken.

    The slowest link between two of them, in 900 GB/s, where there are two or more; 1 / the number of NUMA zones that
    they are in; the oldest `pcieGen`, in 5. A link, zone or generation that is not known counts 0.5 and is named in the
    note. Without cards it is 0.5.
    """

    name = "topology"
    reads = ("chosen", "links_id", "card_numa", "card_pcie_gen", "pools")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if ask.taking is Taking.NOTHING:
            return np.full(rows.size, NEUTRAL)
        return mean_of(_parts(rows), rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        return [""] * rows.size if ask.taking is Taking.NOTHING else not_known(_parts(rows), rows.size)


def _parts(rows: Rows) -> list[ScorePart]:
    chosen = rows.chosen
    taken: Numbers = chosen.sum(1)
    parts = []
    if (taken > 1).any():
        speed = slowest_gb_per_s(chosen, rows.links_id, rows.pools)
        parts.append(part("links", share(speed, MOST_GB_PER_S), speed >= 0, taken > 1))
    zones, oldest = _zones(chosen, rows.card_numa), _least(chosen, rows.card_pcie_gen)
    parts.append(part("numa", 1.0 / np.maximum(zones, 1), zones > 0))
    parts.append(part("pcieGen", share(oldest, NEWEST_PCIE_GEN), oldest >= 0))
    return parts


def _least(chosen: Numbers, values: Numbers) -> Numbers:
    """The least value on the chosen cards; -1 where one is not known, or no card is."""
    if not chosen.shape[1]:
        return np.full(len(chosen), -1)
    return np.where(chosen.any(1), np.where(chosen, values, np.iinfo(values.dtype).max).min(1), -1)


def _zones(chosen: Numbers, numa: Numbers) -> Numbers:
    """How many zones the chosen cards are in; 0 where one of them is not known, or no card is."""
    zones = np.sort(np.where(chosen, numa, -1), axis=1)
    fresh = (zones[:, 1:] != zones[:, :-1]) & (zones[:, 1:] >= 0)
    number = fresh.sum(1) + (zones[:, :1] >= 0).sum(1)
    return np.where(_least(chosen, numa) >= 0, number, 0)

"""Prefer the worker with the most free cards and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.mig.instances import ROOM_READS, rooms
from bayplan.placement.factors.parts import mean_of, not_known, part, share

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

MOST_CARDS = 8
MOST_CARD_MIB = 80 * 1024
MOST_INSTANCES = 7


class GpuAvailability:
    """Scores the mean of: cards without any booking, in 8; mean free memory per card of the worker, in 80 GiB.

    For a MIG request also the instances of its profile that the worker could give before this placement, in 7. Each
    is at most 1, and cards that are not healthy do not exist. Where the size of a card is not known the memory counts
    0.5 and is named in the note; so do cards of which only the MIG instances are known.
    """

    name = "gpu-availability"
    reads = ("card_bookings", "card_free_mib", "card_healthy", "card_count", "loose_slices", *ROOM_READS)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        return mean_of(_parts(ask, rows), rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        return not_known(_parts(ask, rows), rows.size)


def _parts(ask: Ask, rows: Rows) -> list[ScorePart]:
    there, free = rows.card_healthy, rows.card_free_mib
    idle, cards = (there & (rows.card_bookings == 0)).sum(1), there.sum(1)
    mean_mib = np.where(there, free, 0).sum(1) / np.maximum(cards, 1)
    seen = (rows.card_count > 0) | ~rows.loose_slices.any(1)
    sized = seen & ~(there & (free < 0)).any(1)
    parts = [
        part("gpus", share(idle, MOST_CARDS), seen),
        part("gpus.memory", share(mean_mib, MOST_CARD_MIB), sized),
    ]
    if ask.mig is not None:
        parts.append(part("mig", share(rooms(ask, rows), MOST_INSTANCES)))
    return parts

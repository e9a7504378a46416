"""How much of what is free on workers is of no use to typical workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.plugins import FloatArray
    from bayplan.placement.packing.outlook import Outlook
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]


def fragments(outlook: Outlook, kinds: Numbers, room: Room) -> FloatArray:
    """Thousandths of cards in fragments, as a mean over typical demands.

    To a demand that a row could hold, the cards that are too small for it are fragments; to any other all that is
    free. RAM does not count, as in the rule that this follows.
    """
    found = np.zeros(len(kinds))
    free = room.milli.sum(1)
    for number in np.flatnonzero(outlook.typical).tolist():
        need = outlook.need_milli[kinds, number]
        suffices = room.milli >= need[:, None]
        cards = outlook.cards[number]
        holds = (suffices.sum(1) >= cards) & (room.cpu_milli >= outlook.cpu_milli[number]) & (need <= WHOLE_MILLI)
        useful = np.where(holds & (cards > 0), (room.milli * suffices).sum(1), 0)
        found += outlook.typical[number] * (free - useful)
    return found

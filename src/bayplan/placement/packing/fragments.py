"""How much of what is free on workers is of no use to typical workloads."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

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
    numbers = np.flatnonzero(outlook.typical)
    count = _compiled() or plain_fragments
    found: FloatArray = count(
        outlook.typical[numbers], outlook.cards[numbers], outlook.cpu_milli[numbers],
        np.ascontiguousarray(outlook.need_milli[:, numbers]), kinds, room.cpu_milli, room.milli,
    )  # fmt: skip
    return found


def plain_fragments(
    weights: FloatArray, cards: Numbers, cpu_milli: Numbers, need_milli: Numbers,
    kinds: Numbers, cpu_free_milli: Numbers, free_milli: Numbers,
) -> FloatArray:  # fmt: skip
    """The same in NumPy, from the columns of typical demands."""
    found = np.zeros(len(kinds))
    free = free_milli.sum(1)
    for number, weight in enumerate(weights):
        need = need_milli[kinds, number]
        suffices = free_milli >= need[:, None]
        holds = (suffices.sum(1) >= cards[number]) & (cpu_free_milli >= cpu_milli[number]) & (need <= WHOLE_MILLI)
        useful = np.where(holds & (cards[number] > 0), (free_milli * suffices).sum(1), 0)
        found += weight * (free - useful)
    return found


@cache
def _compiled() -> Any:
    """Looked for when it is needed, because it takes a second to load; None where `compiled` is not installed."""
    try:
        from bayplan.placement.packing.compiled_fragments import fragments as found  # noqa: PLC0415 (see above)
    except ImportError:
        return None
    return found

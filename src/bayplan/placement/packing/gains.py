"""What a workload would cost the future on each worker: the worth of what is left, after less before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from bayplan.placement.packing import worth
from bayplan.placement.packing.outlook import FINE
from bayplan.placement.packing.room_left import needed, room_after, room_left

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bayplan.framework.plugins import FloatArray
    from bayplan.placement.packing.demand import Demand
    from bayplan.placement.packing.outlook import Outlook
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]

_KEPT: WeakKeyDictionary[Outlook, Any] = WeakKeyDictionary()


class Parts(NamedTuple):
    """Of each row what the future loses, in whole cards: by waste, by room for large demands, by scarce cards."""

    waste: FloatArray
    room: FloatArray
    scarcity: FloatArray


def gains(outlook: Outlook, demand: Demand, rows: Any) -> FloatArray:
    """What the future wins on each row, in whole cards; nearly always less than 0."""
    kinds, before, after = _states(outlook, demand, rows)
    found: FloatArray = (worths(outlook, kinds, after) - worths(outlook, kinds, before)) / outlook.unit
    return found


def losses(outlook: Outlook, demand: Demand, rows: Any) -> Parts:
    """The same, taken apart for whoever asks why."""
    kinds, before, after = _states(outlook, demand, rows)
    wasted = worth.wastes(outlook, kinds, after) - worth.wastes(outlook, kinds, before)
    room = worth.class_worths(outlook, kinds, before) - worth.class_worths(outlook, kinds, after)
    scarce = worth.scarce_worths(outlook, kinds, before) - worth.scarce_worths(outlook, kinds, after)
    return Parts(wasted * FINE / outlook.unit, room / outlook.unit, scarce / outlook.unit)


def worths(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """What the room is worth, by the quickest way that is installed."""
    compiled = _KEPT.get(outlook)
    if compiled is None:
        kind = _compiled()
        if kind is None:
            return worth.worths(outlook, kinds, room)
        compiled = _KEPT[outlook] = kind(outlook)
    found: Numbers = compiled.worths(kinds, room)
    return found


@cache
def _compiled() -> Any:
    """Looked for when it is needed, because it takes a second to load; None where `compiled` is not installed."""
    try:
        from bayplan.placement.packing.compiled_worth import CompiledWorth  # noqa: PLC0415 (see above)
    except ImportError:
        return None
    return CompiledWorth


def _states(outlook: Outlook, demand: Demand, rows: Any) -> tuple[Numbers, Room, Room]:
    before = room_left(rows)
    return outlook.kind_of(rows.uid_hash), before, room_after(before, demand, needed(demand, rows))

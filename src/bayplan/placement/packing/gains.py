"""What a workload would cost the future on each worker: the worth of what is left, after less before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from bayplan.placement.packing import worth
from bayplan.placement.packing.outlook import LOST_CARDS
from bayplan.placement.packing.room_left import fits, needed, room_after, room_left

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.plugins import FloatArray
    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.packing.demand import PackingDemand
    from bayplan.placement.packing.outlook import Outlook

    Numbers = npt.NDArray[np.int64]

_KEPT: WeakKeyDictionary[Outlook, Any] = WeakKeyDictionary()


class Parts(NamedTuple):
    """Of each row what the future loses, in whole cards: by waste, by room for large demands, by scarce cards."""

    waste: FloatArray
    room: FloatArray
    scarcity: FloatArray


def gains(outlook: Outlook, demand: PackingDemand, rows: WorkerRows) -> FloatArray:
    """What the future wins on each row, in whole cards; nearly always less than 0.

    By the quickest way that is installed: both count in whole numbers, and come to the same.
    """
    compiled = _KEPT.get(outlook)
    if compiled is None:
        kind = _compiled()
        if kind is None:
            return plain_gains(outlook, demand, rows) / outlook.unit
        compiled = _KEPT[outlook] = kind(outlook)
    found: FloatArray = compiled.gains(demand, rows) / outlook.unit
    return found


def plain_gains(outlook: Outlook, demand: PackingDemand, rows: WorkerRows) -> Numbers:
    """The same in the outlook's unit, in NumPy."""
    waste, room, scarcity = _lost(outlook, demand, rows)
    free, need = room_left(rows), needed(demand, rows)
    there = fits(free, demand.cpu_milli, demand.ram_mib, demand.cards, need)
    return np.where(there, -(waste + room + scarcity), -LOST_CARDS * outlook.unit)


def losses(outlook: Outlook, demand: PackingDemand, rows: WorkerRows) -> Parts:
    """What is lost, part by part, for explanations."""
    waste, room, scarcity = _lost(outlook, demand, rows)
    return Parts(waste / outlook.unit, room / outlook.unit, scarcity / outlook.unit)


def _lost(outlook: Outlook, demand: PackingDemand, rows: WorkerRows) -> tuple[Numbers, Numbers, Numbers]:
    kinds, before = outlook.kind_of(rows.uid_hash), room_left(rows)
    after = room_after(before, demand, needed(demand, rows))
    wasted = worth.wastes(outlook, kinds, after) - worth.wastes_ahead(outlook, kinds, before)
    room = worth.class_worths(outlook, kinds, before) - worth.class_worths(outlook, kinds, after)
    scarce = worth.scarce_worths(outlook, kinds, before) - worth.scarce_worths(outlook, kinds, after)
    return worth.waste_worths(outlook, kinds, wasted), room, scarce


@cache
def _compiled() -> Any:
    """Looked for when it is needed, because it takes a second to load; None where `compiled` is not installed."""
    try:
        from bayplan.placement.packing.compiled_worth import CompiledWorth  # noqa: PLC0415 (see above)
    except ImportError:
        return None
    return CompiledWorth

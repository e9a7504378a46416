"""What the room that workers have left is worth to what is expected to come, in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI
from bayplan.placement.packing.outlook import FINE

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.packing.outlook import Outlook
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]

_BEYOND = 1 << 30


def wastes(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """Thousandths of cards that each row has left when the futures are over, summed over all futures.

    In each future whatever fits is taken, in its order, on the fullest cards that suffice.
    """
    rows, samples = len(kinds), len(outlook.futures)
    cpu = np.repeat(room.cpu_milli[:, None], samples, 1)
    ram = np.repeat(room.ram_mib[:, None], samples, 1)
    milli = np.repeat(room.milli[:, None, :], samples, 1)
    for coming in outlook.futures.T:
        need, cards = outlook.need_milli[kinds[:, None], coming], np.broadcast_to(outlook.cards[coming], cpu.shape)
        fits = (cpu >= outlook.cpu_milli[coming]) & (ram >= outlook.ram_mib[coming])
        suffices = milli >= need[:, :, None]
        fits &= (suffices.sum(2) >= cards) & (need <= WHOLE_MILLI)
        cpu, ram = cpu - fits * outlook.cpu_milli[coming], ram - fits * outlook.ram_mib[coming]
        place = np.where(suffices, milli, _BEYOND).argsort(2, kind="stable").argsort(2, kind="stable")
        milli = milli - (place < (cards * fits)[:, :, None]) * need[:, :, None]
    return milli.sum((1, 2)).reshape(rows)


def class_worths(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """What the room for demands with a price is worth, row by row."""
    worth = np.zeros(len(kinds), np.int64)
    for number in np.flatnonzero(outlook.price).tolist():
        need = outlook.need_milli[kinds, number]
        counts = (room.milli >= need[:, None]).sum(1) // outlook.cards[number]
        for free, asked in ((room.cpu_milli, outlook.cpu_milli[number]), (room.ram_mib, outlook.ram_mib[number])):
            if asked:
                counts = np.minimum(counts, free // asked)
        worth += outlook.price[number] * counts
    return worth


def scarce_worths(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """What free cards that few workers have are worth beyond that."""
    return outlook.scarcity[kinds] * room.milli.sum(1)


def worths(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """All three together, in the outlook's unit; equal rows are worked out once."""
    states = np.column_stack([kinds, room.cpu_milli, room.ram_mib, room.milli])
    _, first, which = np.unique(states, axis=0, return_index=True, return_inverse=True)
    kinds, room = kinds[first], type(room)(room.cpu_milli[first], room.ram_mib[first], room.milli[first])
    lost = wastes(outlook, kinds, room) * FINE
    found = class_worths(outlook, kinds, room) + scarce_worths(outlook, kinds, room) - lost
    return found[which.reshape(-1)]

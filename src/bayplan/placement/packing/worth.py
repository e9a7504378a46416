"""What the room that workers have left is worth to what is expected to come, in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI
from bayplan.placement.packing.outlook import FINE
from bayplan.placement.packing.room_left import fits, taken

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.packing.outlook import Outlook
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]

_BEYOND = 1 << 30
"""More than a card has free, in thousandths: cards that do not suffice sort behind all cards that do."""


def wastes(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """Thousandths of cards that each row has left when the futures are over, summed over all futures.

    In each future whatever fits is taken, in its order, on the fullest cards that suffice. Equal rows are worked out
    once.
    """
    states = np.column_stack([kinds, room.cpu_milli, room.ram_mib, room.milli])
    _, first, which = np.unique(states, axis=0, return_index=True, return_inverse=True)
    kinds, room = kinds[first], type(room)(room.cpu_milli[first], room.ram_mib[first], room.milli[first])
    cpu, ram, milli = (np.repeat(part[:, None], len(outlook.futures), 1) for part in room)
    for place, coming in enumerate(outlook.futures.T):
        need, cards = outlook.future_milli[kinds, :, place], np.broadcast_to(outlook.cards[coming], cpu.shape)
        enough = (cpu >= outlook.cpu_milli[coming]) & (ram >= outlook.ram_mib[coming])
        suffices = milli >= need[:, :, None]
        enough &= (suffices.sum(2) >= cards) & (need <= WHOLE_MILLI)
        cpu, ram = cpu - enough * outlook.cpu_milli[coming], ram - enough * outlook.ram_mib[coming]
        rank = np.where(suffices, milli, _BEYOND).argsort(2, kind="stable").argsort(2, kind="stable")
        milli = milli - (rank < (cards * enough)[:, :, None]) * need[:, :, None]
    lost: Numbers = milli.sum((1, 2))
    return lost[which.reshape(-1)]


def wastes_ahead(outlook: Outlook, kinds: Numbers, room: Room) -> Numbers:
    """The mean waste once one of the demands that may come next has come; as it is where none of them fits.

    The exact mean would be the waste itself. But samples err, and this mean errs as the value that is compared with
    it does, so that no row looks better before anything has come to it.
    """
    total, count = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    for number in outlook.steps.tolist():
        need = outlook.need_milli[kinds, number]
        cpu, ram, cards = (each[number] for each in (outlook.cpu_milli, outlook.ram_mib, outlook.cards))
        rows = np.flatnonzero(fits(room, cpu, ram, cards, need) & (need <= WHOLE_MILLI))
        if len(rows):
            there = type(room)(room.cpu_milli[rows], room.ram_mib[rows], room.milli[rows])
            total[rows] += wastes(outlook, kinds[rows], taken(there, cpu, ram, cards, need[rows]))
            count[rows] += 1
    if (count == 0).any():
        total, count = np.where(count, total, wastes(outlook, kinds, room)), np.maximum(count, 1)
    return total // count


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
    worth: Numbers = outlook.scarcity[kinds] * len(outlook.futures) * room.milli.sum(1)
    return worth


def waste_worths(outlook: Outlook, kinds: Numbers, wasted: Numbers) -> Numbers:
    """What is wasted, in the outlook's unit: scarce cards count more."""
    return wasted * (FINE + outlook.scarcity[kinds])

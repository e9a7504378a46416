"""How little a worker would have left, with nothing known of what comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI

if TYPE_CHECKING:
    from bayplan.framework.plugins import FloatArray
    from bayplan.placement.packing.room_left import Room

LARGEST_CPU_MILLI = 128_000
LARGEST_CARDS = 8
"""From this size on a worker counts as the largest."""


def parts_left(room: Room) -> tuple[FloatArray, FloatArray]:
    """CPU and cards that are left, each as a part of what a large worker has."""
    cpu = np.minimum(room.cpu_milli / LARGEST_CPU_MILLI, 1.0)
    cards = np.minimum(room.milli.sum(1) / (LARGEST_CARDS * WHOLE_MILLI), 1.0)
    return cpu, cards


def tightness(room: Room) -> FloatArray:
    """1 where neither CPU nor cards would be left, 0 on a large worker that stays idle."""
    cpu, cards = parts_left(room)
    tight: FloatArray = 1.0 - (cpu + cards) / 2.0
    return tight

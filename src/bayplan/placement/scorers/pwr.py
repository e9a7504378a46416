"""Prefer the worker that would draw the least additional power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI, demand_of
from bayplan.placement.packing.room_left import READS, needed, room_after, room_left
from bayplan.placement.packing.watts import CPU_PACKAGE, CPU_PACKAGE_MILLI, draw_of

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import WorkerRows

_HALF_SCORE_W = 100.0


class Pwr:
    """Scores 100 / (100 + w), w being the watts that a worker would draw more.

    A card draws its full power as soon as anybody uses any of it, by a table of models; CPUs come in packages of 32
    threads (20 W idle, 185 W in use), of which as many are in use as the booked CPU fills. So cards and packages that
    are in use already cost nothing more. Cards of a model that is not in the table count as a V100.
    """

    name = "pwr"
    reads = (*READS, "cpu_milli", "card_model_id", "pools")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand = demand_of(ask)
        if demand is None:
            return np.zeros(rows.size)
        before = room_left(rows)
        after = room_after(before, demand, needed(demand, rows))
        opened = (before.milli >= WHOLE_MILLI) & (after.milli < before.milli)
        watts = np.where(opened, _steps(rows), 0.0).sum(1)
        packages = _packages(rows, after.cpu_milli) - _packages(rows, before.cpu_milli)
        watts += packages * (CPU_PACKAGE.busy_w - CPU_PACKAGE.idle_w)
        score: FloatArray = _HALF_SCORE_W / (_HALF_SCORE_W + watts)
        return score


def _steps(rows: WorkerRows) -> FloatArray:
    """Watts between idle and in use, card by card."""
    models = rows.pools.models
    numbers, which = np.unique(rows.card_model_id, return_inverse=True)
    draws = [draw_of(models[number] if number >= 0 else None) for number in numbers.tolist()]
    steps: FloatArray = np.array([draw.busy_w - draw.idle_w for draw in draws])[which].reshape(rows.card_model_id.shape)
    return steps


def _packages(rows: WorkerRows, free: Any) -> Any:
    """Packages in use; 0 where the amount of CPU is not known."""
    used = np.where(rows.cpu_milli >= 0, np.maximum(rows.cpu_milli - free, 0), 0)
    return -(-used // CPU_PACKAGE_MILLI)

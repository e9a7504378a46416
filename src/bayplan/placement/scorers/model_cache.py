"""Prefer the worker that has the model already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.distinct import told
from bayplan.placement.factors.parts import NEUTRAL, mean_of, not_known, part

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

NOT_CACHED = -1.0  # below every hit rate, as is RATE_UNKNOWN
RATE_UNKNOWN = -2.0


class ModelCache:
    """Scores the mean of two parts: whether the model is cached on the worker, 1 or 0, and how often it is hit there.

    Where it is not cached both are 0. A hit rate that is not known counts 0.5 and is named in the note. A workload
    without `model.name` scores 0.5 everywhere.
    """

    name = "model-cache"
    reads = ("cached_models_id", "pools")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if ask.model_name is None:
            return np.full(rows.size, NEUTRAL)
        return mean_of(_parts(ask.model_name, rows), rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        if ask.model_name is None:
            return ["neutral: the workload names no model"] * rows.size
        return not_known(_parts(ask.model_name, rows), rows.size)


def _parts(model: str, rows: Rows) -> list[ScorePart]:
    caches = rows.pools.cached_models

    def rate(number: int) -> float:
        cached = caches[number]
        if model not in cached:
            return NOT_CACHED
        hits = cached[model]
        return RATE_UNKNOWN if hits is None else hits

    rates = np.array(told(rows.cached_models_id, rate), np.float64)
    return [
        part("cached", (rates != NOT_CACHED).astype(np.float64)),
        part("hit rate", np.maximum(rates, 0.0), rates != RATE_UNKNOWN),
    ]

"""Prefer the server replicas that have the model already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.plugins import SKIP, Depends
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Prepared, Scores
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows

SCORES = {
    LoadState.AVAILABLE: 1.0,
    LoadState.LOADED: 0.8,
    LoadState.LOADING: 0.6,
    LoadState.LOAD_REQUESTED: 0.4,
    LoadState.LOADED_UNAVAILABLE: 0.2,
}


class Loaded:
    """Ranks server replicas by how far this version is loaded there.

    Available 1.0, loaded 0.8, loading 0.6, load requested 0.4, loaded but unavailable 0.2, not there 0.0.
    """

    name = "loaded"
    reads = ("place",)
    depends = Depends.CYCLE
    ranks = "replicas"

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return None if subject_of(cycle).kept else SKIP

    def score(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> Scores:
        scores = np.zeros(rows.size)
        for place, state in subject_of(cycle).kept.items():
            scores[rows.place == place] = SCORES[state]
        return scores

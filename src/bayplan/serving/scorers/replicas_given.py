"""Prefer the server that can give more of the wanted replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Scores
    from bayplan.serving.asks.ask import Ask


class ReplicasGiven:
    """Ranks servers: the share of the wanted replicas that the server can give, 1.0 for all of them."""

    name = "replicas-given"
    reads = ("group_rows_left",)
    depends = Depends.CYCLE
    ranks = "servers"

    def score(self, ask: Ask, rows: Any, cycle: Cycle) -> Scores:
        desired = subject_of(cycle).desired
        scores: Scores = np.minimum(rows.group_rows_left, desired) / desired
        return scores

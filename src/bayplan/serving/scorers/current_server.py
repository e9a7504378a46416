"""Prefer the server that the model is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bayplan.framework.plugins import SKIP, Depends
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Prepared, Scores
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class CurrentServer:
    """Ranks servers: 1.0 for the server that the model is on, 0.0 for the others. A model that is placed stays."""

    name = "current-server"
    reads = ("server",)
    depends = Depends.CYCLE
    ranks = "servers"

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return SKIP if subject_of(cycle).current is None else None

    def score(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> Scores:
        scores: Scores = (rows.server == subject_of(cycle).current) * 1.0
        return scores

"""Keep the servers that have connected replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class HasReplicas:
    """Refuses a server of which no replica is connected.

    Not curable: unloading models connects no replica.
    """

    name = "has-replicas"
    reads = ("connected",)
    judges = "servers"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        return rows.connected

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        return Reasons("no-replicas", text="none of its replicas is connected")

"""Keep the server replicas that take new models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class NotDraining:
    """Refuses a server replica that is draining: its models move away before it stops.

    Not curable: unloading models does not end it.
    """

    name = "not-draining"
    reads = ("draining",)
    judges = "replicas"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        return ~rows.draining

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        return Reasons("draining", text="is draining: its models move away")

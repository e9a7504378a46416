"""Keep the server replicas that have loaded a preloaded model by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons
from bayplan.serving.asks.membership import is_among
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, Prepared
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class Preloaded:
    """Refuses a server replica that has not loaded a preloaded model: its server loads it, and nobody else does.

    Not curable: unloading others loads nothing.
    """

    name = "preloaded"
    reads = ("place",)
    depends = Depends.CYCLE
    judges = "replicas"
    required = True

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return None if ask.preloaded else SKIP

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        return is_among(rows.place, subject_of(cycle).kept)

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        return Reasons("preloaded", text="the server loads this model by itself, and has not loaded it here")

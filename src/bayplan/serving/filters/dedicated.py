"""Keep the servers that the model need not share against its own or another model's wish."""

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


class Dedicated:
    """Refuses a server on which another model holds memory, if one of the two is dedicated.

    A dedicated model shares its whole server with no other model, whichever came first. Curable: once the other model
    is unloaded, the server is free.
    """

    name = "dedicated"
    reads = ("server",)
    depends = Depends.CYCLE
    judges = "servers"
    required = True

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return None if subject_of(cycle).closed else SKIP

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        return ~is_among(rows.server, subject_of(cycle).closed)

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        whose = "other models are on it, and this one is dedicated" if ask.dedicated else "a dedicated model is on it"
        return Reasons("dedicated", curable=True, text=whose)

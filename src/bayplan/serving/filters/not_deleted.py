"""Keep the servers that stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class NotDeleted:
    """Refuses a server that is being deleted: no replica of it is expected any more.

    Not curable: unloading models keeps no server.
    """

    name = "not-deleted"
    reads = ("deleted",)
    judges = "servers"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        return ~rows.deleted

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        return Reasons("server-deleted", text="is being deleted")

"""Keep the servers that the model may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class Sharing:
    """Refuses the servers that a model does not name, or, where it names none, the ones that are not shared.

    Not curable: unloading models changes no pin.
    """

    name = "sharing"
    reads = ("server", "shared", "servers")
    judges = "servers"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        if ask.server is None:
            return rows.shared
        if ask.server not in rows.servers:
            return np.zeros(rows.size, np.bool_)
        named: BoolArray = rows.server == rows.servers.index(ask.server)
        return named

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        if ask.server is None:
            return Reasons("not-shared", text="takes only models that name it")
        return Reasons("pinned-elsewhere", named=ask.server, text="the model names server {named}")

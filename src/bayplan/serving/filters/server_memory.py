"""Keep the server replicas that have memory for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.serving.asks.membership import is_among
from bayplan.serving.asks.subject import subject_of
from bayplan.serving.books.columns import UNKNOWN_MIB

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class ServerMemory:
    """Refuses a server replica with less free memory than one replica of the model needs.

    A replica that has this version already needs no more memory for it. Memory that is not known says
    `unknown-capacity`, unless the model needs none. Curable where the replica would be large enough without models.
    """

    name = "server-memory"
    reads = ("free_mib", "place")
    explain_reads = ("empty_mib",)
    depends = Depends.CYCLE
    judges = "replicas"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        if not ask.need_mib:
            return np.ones(rows.size, np.bool_)
        mask: BoolArray = rows.free_mib >= ask.need_mib
        kept = subject_of(cycle).kept
        return mask | is_among(rows.place, kept) if kept else mask

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        free = [None if mib == UNKNOWN_MIB else mib for mib in refused.free_mib.tolist()]
        return Reasons(
            ["unknown-capacity" if mib is None else "memory-short" for mib in free],
            curable=(refused.empty_mib >= ask.need_mib).tolist(),
            needed=ask.need_mib,
            free=free,
            unit="MiB",
            text=[_UNKNOWN if mib is None else _SHORT for mib in free],
        )


_SHORT = "needs {needed} MiB, {free} MiB are free"
_UNKNOWN = "needs {needed} MiB, and its memory is not known"

"""Keep the workers whose taints the workload tolerates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import TAINTS_CHANGED, WORKER_ADDED
from bayplan.cluster.taint import repelling
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import judged, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.taint import Taint
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class TaintToleration:
    """Refuses a worker with a taint NoSchedule or NoExecute that the workload does not tolerate.

    PreferNoSchedule refuses no worker. Not curable: evicting others removes no taint.
    """

    name = "taint-toleration"
    reads = ("taints_id", "pools")
    required = True
    cured_by = (TAINTS_CHANGED, WORKER_ADDED)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        taints = rows.pools.taints
        return judged(rows.taints_id, lambda number: not repelling(taints[number], ask.tolerations))

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        taints = refused.pools.taints
        says = told(refused.taints_id, lambda number: _sentence(repelling(taints[number], ask.tolerations)))
        return Reasons("taint", says=says, text="{says}")


def _sentence(taints: Sequence[Taint]) -> str:
    return f"has the taint{'s' * (len(taints) > 1)} {', '.join(map(str, taints))}, which the workload does not tolerate"

"""Keep the workers in the regions that the workload allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import WORKER_ADDED, WORKER_CHANGED
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody, judged, told

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class Region:
    """Refuses a worker outside the workload's `regions`, where it names any.

    A worker whose region is not declared is refused too: it might be anywhere. Not curable: evicting others moves no
    worker.
    """

    name = "region"
    reads = ("path_id", "pools")
    required = True
    cured_by = (WORKER_ADDED, WORKER_CHANGED)

    def unread(self, ask: Ask) -> tuple[str, ...]:
        return () if ask.regions else ("path_id",)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if not ask.regions:
            return everybody(rows.size)
        paths = rows.pools.paths
        return judged(rows.path_id, lambda number: paths[number].region in ask.regions)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        paths = refused.pools.paths
        where = told(refused.path_id, lambda number: _where(paths[number].region))
        return Reasons("region", where=where, allowed=", ".join(ask.regions), text="{where}; allowed: {allowed}")


def _where(region: str | None) -> str:
    return "its region is not declared" if region is None else f"is in region {region}"

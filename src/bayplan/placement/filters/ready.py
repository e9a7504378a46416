"""Keep the workers that take new work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.columns import STATUSES
from bayplan.cluster.events import STATUS_CHANGED, WORKER_ADDED
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bayplan.placement.cards.distinct import told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_READY = STATUSES.index(WorkerStatus.READY)

_CODES = {WorkerStatus.NOT_READY: "not-ready", WorkerStatus.CORDONED: "cordoned", WorkerStatus.DRAINING: "cordoned"}
_TEXTS = {
    WorkerStatus.NOT_READY: "is not ready: it does not answer, or reports that it cannot take work",
    WorkerStatus.CORDONED: "is cordoned: closed to new work",
    WorkerStatus.DRAINING: "is draining: its work is moved away, and new work is refused",
}


class Ready:
    """Refuses a worker whose status is anything but ready.

    A worker that does not answer says `not-ready`; one that is cordoned or draining says `cordoned`.
    Not curable: evicting others changes no status.
    """

    name = "ready"
    reads = ("status",)
    required = True
    cured_by = (STATUS_CHANGED, WORKER_ADDED)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        mask: BoolArray = rows.status == _READY
        return mask

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return Twin(_is_ready)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        return Reasons(
            told(refused.status, lambda number: _CODES[STATUSES[number]]),
            text=told(refused.status, lambda number: _TEXTS[STATUSES[number]]),
        )


def _is_ready(status: int) -> bool:
    return status == _READY

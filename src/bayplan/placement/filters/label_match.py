"""Keep the workers whose labels meet the workload's selector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import LABELS_CHANGED, WORKER_ADDED
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody, judged, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class LabelMatch:
    """Refuses a worker whose labels or name do not meet the workload's selector.

    All requirements must hold, and one of the alternatives, if there are any. The operators are those of Kubernetes;
    a missing label meets NotIn and DoesNotExist. The reason names each requirement that fails and what the label says
    instead. Not curable: evicting others changes no label.
    """

    name = "label-match"
    reads = ("labels_id", "uid_hash", "pools")
    required = True
    cured_by = (LABELS_CHANGED, WORKER_ADDED)

    def unread(self, ask: Ask) -> tuple[str, ...]:
        if not ask.selector:
            return ("labels_id", "uid_hash")
        return () if ask.named else ("uid_hash",)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if not ask.selector:
            return everybody(rows.size)
        labels = rows.pools.labels
        mask = judged(rows.labels_id, lambda number: ask.selector.matches(labels[number]))
        for row, worker in _mentioned(ask, rows):
            mask[row] = ask.selector.matches(labels[int(rows.labels_id[row])], worker)
        return mask

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        labels = refused.pools.labels
        says = told(refused.labels_id, lambda number: _misses(ask, labels[number], ""))
        for row, worker in _mentioned(ask, refused):
            says[row] = _misses(ask, labels[int(refused.labels_id[row])], worker)
        return Reasons("label-mismatch", says=says, text="{says}")


def _mentioned(ask: Ask, rows: Rows) -> Iterator[tuple[int, str]]:
    """The rows of the workers that the selector names."""
    for worker, uid in ask.named:
        for row in np.flatnonzero(rows.uid_hash == uid).tolist():
            yield row, worker


def _misses(ask: Ask, labels: Mapping[str, str], worker: str) -> str:
    return "; ".join(map(str, ask.selector.misses(labels, worker)))

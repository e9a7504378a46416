"""Keep the workers whose labels meet the workload's selector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons
from bayplan.placement.distinct import everybody, judged, told

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask


class LabelMatch:
    """Refuses a worker whose labels do not meet every requirement of the workload's selector.

    The operators are those of Kubernetes; a missing label meets NotIn and DoesNotExist. The reason names each
    requirement that fails and what the label says instead. Not curable: evicting others changes no label.
    """

    name = "label-match"
    reads = ("labels_id", "pools")
    required = True

    def unread(self, ask: Ask) -> tuple[str, ...]:
        return () if ask.selector else ("labels_id",)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if not ask.selector:
            return everybody(rows.size)
        labels = rows.pools.labels
        return judged(rows.labels_id, lambda number: ask.selector.matches(labels[number]))

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        labels = refused.pools.labels
        says = told(refused.labels_id, lambda number: "; ".join(map(str, ask.selector.misses(labels[number]))))
        return Reasons("label-mismatch", says=says, text="{says}")

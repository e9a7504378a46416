"""Keep the workers that have a card which the workload names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import WORKER_ADDED, WORKER_CHANGED
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class SelectedGpus:
    """Refuses a worker none of whose cards is among the workload's `gpuIds`, where it has any.

    Whether the named cards of a worker are enough is the question of `gpu-fit`. Not curable: evicting others does
    not change what was named.
    """

    name = "selected-gpus"
    reads = ("uid_hash", "cards_id", "pools")
    required = True
    cured_by = (WORKER_ADDED, WORKER_CHANGED)

    def unread(self, ask: Ask) -> tuple[str, ...]:
        return () if ask.selected is not None else ("uid_hash",)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.selected is None:
            return everybody(rows.size)
        named = np.array([uid for uid, _ in ask.selected], np.int64)
        mask: BoolArray = np.isin(rows.uid_hash, named)
        for row in np.flatnonzero(mask).tolist():
            uid = int(rows.uid_hash[row])
            mask[row] = any((uid, card) in ask.selected for card in rows.pools.cards[rows.cards_id[row]].cards)
        return mask

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        selected = ask.selected or frozenset()
        workers = len({uid for uid, _ in selected})
        text = "gpuIds names {count} of {workers}, and none of this worker" if selected else _NOWHERE
        return Reasons(
            "not-selected",
            count="1 card" if len(selected) == 1 else f"{len(selected)} cards",
            workers="1 other worker" if workers == 1 else f"{workers} other workers",
            text=text,
        )


_NOWHERE = "gpuIds names no card of this cluster"

"""Keep the server replicas that can explain, for models that are explainers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from bayplan.framework.plugins import SKIP
from bayplan.framework.reasons import Reasons
from bayplan.serving.served_model import EXPLAINER

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, Prepared
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class Explainer:
    """Refuses a server replica that does not offer `alibi-explain` to a model with an explainer.

    Not curable: unloading models adds no capability.
    """

    name = "explainer"
    reads = ("capabilities_id", "capability_sets")
    judges = "replicas"
    required = True

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return None if ask.explainer else SKIP

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        explains = np.array([EXPLAINER in offered for offered in rows.capability_sets], np.bool_)
        mask: BoolArray = explains[rows.capabilities_id]
        return mask

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        missing = [[EXPLAINER] for _ in range(refused.size)]
        return Reasons("explainer-missing", missing=missing, text=f"does not offer {EXPLAINER}")

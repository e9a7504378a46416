"""Keep the server replicas that can run the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class Capabilities:
    """Refuses a server replica that lacks one of the model's requirements; capitals count.

    The reason names what is missing, in the order of the requirements. Not curable: unloading models adds no
    capability.
    """

    name = "capabilities"
    reads = ("capabilities_id", "capability_sets")
    judges = "replicas"
    required = True

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        enough = np.array([offered.issuperset(ask.requirements) for offered in rows.capability_sets], np.bool_)
        mask: BoolArray = enough[rows.capabilities_id]
        return mask

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> Reasons:
        sets = rows_sets(refused)
        missing = [[each for each in ask.requirements if each not in offered] for offered in sets]
        listed = [", ".join(each) for each in missing]
        return Reasons("capability-missing", missing=missing, listed=listed, text="does not offer {listed}")


def rows_sets(rows: ReplicaRows) -> list[frozenset[str]]:
    """What each row offers."""
    return [rows.capability_sets[number] for number in rows.capabilities_id.tolist()]

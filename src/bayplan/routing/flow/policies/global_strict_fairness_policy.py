"""One queue for all flows of a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import FAIRNESS

if TYPE_CHECKING:
    from bayplan.routing.flow.band import Band


@dataclass(frozen=True, slots=True)
class GlobalStrictFairnessPolicy:
    """Serves the best request of all flows by the band's ordering, whichever flow it belongs to."""

    name = "global-strict-fairness-policy"
    kinds = (FAIRNESS,)

    def next_flow(self, band: Band, now: float) -> str:
        return band.best().request.fairness_id

    def served(self, band: Band, flow: str) -> None:
        """Nothing is remembered."""

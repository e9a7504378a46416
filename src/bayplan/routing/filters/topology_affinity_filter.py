"""Keep the endpoints that are near the one that decodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.topology import TIGHTNESS, decode_labels, nearest_level

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class TopologyAffinityFilter:
    """Refuses endpoints that are too far from the pick of the decode stage, where others are near enough.

    Where no stage has picked yet, the place of its pick is unknown, or no endpoint is near enough, all stay.

    Parameters:
        min_affinity: the level that an endpoint must at least share: `host`, `rack`, `zone` or `region`.
    """

    min_affinity: Literal["host", "rack", "zone", "region"] = "host"

    name = "topology-affinity-filter"
    reads = ("labels",)
    depends = Depends.TABLE
    storages = ("lists",)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        there = decode_labels(cycle)
        if there is None:
            return [True] * rows.size
        least = TIGHTNESS[self.min_affinity]
        mask = [TIGHTNESS[nearest_level(labels, there)] >= least for labels in rows.labels]
        return mask if any(mask) else [True] * rows.size

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        text = "is not in the same {level} as the endpoint that decodes"
        return Reasons("topology", level=self.min_affinity, text=text)

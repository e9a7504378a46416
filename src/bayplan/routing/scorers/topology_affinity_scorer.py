"""Prefer the endpoint that is near the one that decodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.topology import decode_labels, nearest_level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.factors.topology import Level
    from bayplan.routing.requests.routed_request import RoutedRequest

SCORES: Final[Mapping[Level | None, float]] = {"host": 1.0, "rack": 0.2, "zone": 0.05, "region": 0.02, None: 0.0}


class TopologyAffinityScorer:
    """Scores the tightest level that an endpoint shares with the pick of the decode stage.

    The same host scores 1, the same rack 0.2, zone 0.05, region 0.02; 0 where no level is known to be shared. Levels
    are the labels `kubernetes.io/hostname` and `topology.kubernetes.io/rack`, `/zone` and `/region`.
    """

    name = "topology-affinity-scorer"
    reads = ("labels",)
    depends = Depends.CYCLE
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        there = decode_labels(cycle)
        if there is None:
            return [0.0] * rows.size
        return [SCORES[nearest_level(labels, there)] for labels in rows.labels]

"""Prefer the endpoint whose label says what a header of the request says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class HeaderLabelAffinityScorer:
    """Scores 1 where the endpoint's label equals the request's header, else 0.

    Parameters:
        header_name: the header of the request.
        label_key: the label of the endpoint.
    """

    header_name: str
    label_key: str

    name = "header-label-affinity-scorer"
    reads = ("labels",)
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            given("header_name", self.header_name, "the name of a header"),
            given("label_key", self.label_key, "the key of a label"),
        )

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        wanted = ask.headers.get(self.header_name.lower())
        if wanted is None:
            return [0.0] * rows.size
        return [1.0 if labels.get(self.label_key) == wanted else 0.0 for labels in rows.labels]

"""Keep the endpoints that are predicted to meet the request's objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.chance import happens
from bayplan.routing.factors.parameter_checks import between, refuse
from bayplan.routing.factors.slo_headrooms import headroom_of

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class SloHeadroomTierFilter:
    """Refuses endpoints that are not predicted to meet both latency objectives, where others are.

    Now and then it keeps these instead, so that predictions about them stay true. An endpoint without a prediction is
    one that does not meet them. Where all meet them, or none does, all stay.

    Parameters:
        epsilon_explore_neg: how often the endpoints are kept that do not meet them.
    """

    epsilon_explore_neg: float = 0.01

    name = "slo-headroom-tier-filter"
    reads = ("predicted_ttft_ms", "predicted_tpot_ms")
    depends = Depends.TABLE
    storages = ("lists",)
    needs = ("predicted-latency-producer",)

    def __post_init__(self) -> None:
        refuse(between("epsilon_explore_neg", self.epsilon_explore_neg, 0, 1))

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        headrooms = [
            headroom_of(ask, ttft, tpot)
            for ttft, tpot in zip(rows.predicted_ttft_ms, rows.predicted_tpot_ms, strict=True)
        ]
        meeting = [headroom is not None and headroom.meets_both for headroom in headrooms]
        if all(meeting) or not any(meeting):
            return [True] * rows.size
        return [not meets for meets in meeting] if happens(self.epsilon_explore_neg, cycle) else meeting

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons("headroom-tier", text="is not in the tier of endpoints that was chosen by predicted latency")

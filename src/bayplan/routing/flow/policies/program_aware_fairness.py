"""The flow that has got the least service comes first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.routing.plugin_kinds import FAIRNESS

if TYPE_CHECKING:
    from bayplan.routing.flow.band import Band
    from bayplan.routing.requests.routed_request import RoutedRequest

MOST_FLOWS = 100_000
"""Flows whose service is remembered. Clients name flows, so there must be an end; the longest unused go first."""
_OUTPUT_WEIGHT = 2  # an output token takes a step of its own, prompt tokens are computed many at a time


@dataclass(slots=True)
class ProgramAwareFairness:
    """Serves the flow that has got the least service so far, or whose first request has waited longest.

    Highest first: `lasWeightService`·(1 − service) + `lasWeightHeadWait`·wait, both min–max over the flows in which a
    request waits (0.5 where all are equal), then by name. A finished request adds its prompt tokens and twice its
    completion tokens to the service of its flow, which is halved every `lasHalfLifeSeconds`.

    Parameters:
        las_weight_service: weight of the service that a flow has got.
        las_weight_head_wait: weight of how long its first request has waited.
        las_half_life_seconds: after so long, service counts half; above 0.
    """

    las_weight_service: float = 0.8
    las_weight_head_wait: float = 0.2
    las_half_life_seconds: float = 60.0
    _service: dict[tuple[int, str], tuple[float, float]] = field(default_factory=dict, init=False, repr=False)

    name = "program-aware-fairness"
    kinds = (FAIRNESS,)

    def __post_init__(self) -> None:
        if self.las_half_life_seconds <= 0:
            message = f"{self.las_half_life_seconds} is not above 0"
            raise InputError(message, place="lasHalfLifeSeconds", next="write a number of seconds such as 60")

    def next_flow(self, band: Band, now: float) -> str:
        services = _shares([self._now(band.priority, flow, now) for flow in band.flows])
        waits = _shares([now - head.request.arrived_s for head in band.heads()])
        places = range(len(band.flows))
        weight, wait_weight = self.las_weight_service, self.las_weight_head_wait
        # max() takes the first of equals, and flows are sorted by name
        return band.flows[max(places, key=lambda i: weight * (1 - services[i]) + wait_weight * waits[i])]

    def served(self, band: Band, flow: str) -> None:
        """Service counts when it is done."""

    def completed(self, request: RoutedRequest, usage: tuple[int, int] | None, now: float) -> None:
        """A request has ended: what it took counts for its flow."""
        if usage is None:
            return
        prompt_tokens, completion_tokens = usage
        flow = (request.priority, request.fairness_id)
        service = self._now(*flow, now) + prompt_tokens + _OUTPUT_WEIGHT * completion_tokens
        self._service.pop(flow, None)  # so that the newest stands last
        self._service[flow] = (service, now)
        if len(self._service) > MOST_FLOWS:
            del self._service[next(iter(self._service))]

    def take_over(self, former: ProgramAwareFairness) -> None:
        """Keep what flows have got."""
        self._service.update(former._service)

    def _now(self, priority: int, flow: str, now: float) -> float:
        service, since_s = self._service.get((priority, flow), (0.0, now))
        return float(service * 0.5 ** ((now - since_s) / self.las_half_life_seconds))


def _shares(values: list[float]) -> list[float]:
    """Min–max: 0 for the smallest, 1 for the largest; 0.5 for all where they are equal."""
    least, most = min(values), max(values)
    if least == most:
        return [0.5] * len(values)
    return [(value - least) / (most - least) for value in values]

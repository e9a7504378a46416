"""Prefer the endpoint that works on fewer requests."""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.freshness import scores_by
from bayplan.routing.factors.ranges import fewest_first

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class RunningRequestsSizeScorer:
    """Scores how few requests run: 1 for the fewest of the candidates, 0 for the most; 1 for all where they are equal.

    Requests that this router has sent since the newest metrics count too. An endpoint whose number is unknown, or was
    measured more than 2 s ago, gets the lowest score of the others.
    """

    name = "running-requests-size-scorer"
    aliases = ("running-requests-scorer",)
    reads = ("running", "reserved_waiting", "metrics_at_s")
    depends = Depends.TABLE
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        assumed: list[float | None]
        if None in rows.running:
            pairs = zip(rows.running, rows.reserved_waiting, strict=True)
            assumed = [None if running is None else running + reserved for running, reserved in pairs]
        else:
            assumed = list(map(add, rows.running, rows.reserved_waiting))
        return scores_by(assumed, rows.metrics_at_s, cycle.now, fewest_first)

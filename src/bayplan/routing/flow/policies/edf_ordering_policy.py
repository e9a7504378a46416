"""Earliest deadline first."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import ORDERING

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class EdfOrderingPolicy:
    """Serves requests in the order in which their time runs out; those that may wait for ever come last."""

    name = "edf-ordering-policy"
    kinds = (ORDERING,)

    def key(self, request: RoutedRequest, ttl_s: float | None) -> float:
        return inf if ttl_s is None else request.arrived_s + ttl_s

"""Prefer the endpoint that has the adapter loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.twins import Twin

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class LoraAffinityScorer:
    """Scores 1 where the model is an active adapter, else 0.8 where there is room for one more adapter.

    Else it scores 0.6 where the adapter waits to be loaded, and 0 elsewhere.
    """

    name = "lora-affinity-scorer"
    reads = ("lora_active", "lora_waiting", "lora_max")
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        model = ask.model
        return [
            _affinity(model, active, waiting, most)
            for active, waiting, most in zip(rows.lora_active, rows.lora_waiting, rows.lora_max, strict=True)
        ]

    def twin(self, ask: RoutedRequest, shared: Mapping[str, Any]) -> Twin:
        return Twin(_affinity, (ask.model,))


def _affinity(model: str | None, active: frozenset[str], waiting: frozenset[str], most: int) -> float:
    return 1.0 if model in active else 0.8 if len(active) + len(waiting) < most else 0.6 if model in waiting else 0.0

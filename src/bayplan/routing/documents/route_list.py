"""The RouteList document: what became of several requests, and the state after the last step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.routing.gates.gate import BandState


def route_list_document(
    items: Sequence[Mapping[str, Any]],
    dispatched: Iterable[str],
    waiting: Iterable[str],
    inflight: Mapping[str, tuple[int, float]],
    bands: Iterable[BandState],
    saturation: float,
    warnings: Iterable[str],
) -> dict[str, Any]:
    """The document; `items` are Route documents in order of arrival."""
    return {
        "kind": "RouteList",
        "items": list(items),
        "dispatched": list(dispatched),
        "waiting": list(waiting),
        "inflight": {name: {"requests": requests, "tokens": tokens} for name, (requests, tokens) in inflight.items()},
        "bands": [{"priority": band.priority, "ceiling": band.ceiling, "waiting": band.waiting} for band in bands],
        "saturation": saturation,
        "warnings": list(warnings),
    }

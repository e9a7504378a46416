"""Keep the endpoints that are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class EndpointReady:
    """Refuses an endpoint that is not ready. Every profile has it, whatever the configuration says."""

    name = "endpoint-ready"
    reads = ("ready",)
    required = True
    storages = ("lists",)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        return list(rows.ready)

    def twin(self, ask: RoutedRequest, shared: Mapping[str, Any]) -> Twin:
        return _TWIN

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons("not-ready", text="is not ready")


def _is_ready(ready: bool) -> bool:
    return ready


_TWIN = Twin(_is_ready)

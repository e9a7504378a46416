"""Keep the endpoints that serve the prefill stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bayplan.routing.factors.roles import PREFILL_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class PrefillFilter:
    """Refuses an endpoint that does not prefill.

    It keeps the roles prefill, encode-prefill, prefill-decode, both and encode-prefill-decode.
    """

    name = "prefill-filter"
    reads = ("role",)
    storages = ("lists",)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        return [role in PREFILL_ROLES for role in rows.role]

    def twin(self, ask: RoutedRequest, shared: Mapping[str, Any]) -> Twin:
        return _TWIN

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons("role-mismatch", role=refused.role, text="its role '{role}' does not prefill")


def _serves(roles: frozenset[str], role: str) -> bool:
    return role in roles


_TWIN = Twin(_serves, (PREFILL_ROLES,))

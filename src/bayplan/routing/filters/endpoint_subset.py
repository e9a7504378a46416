"""Keep the endpoints that the gateway allows for this request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.framework.plugins import Prepared
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class EndpointSubset:
    """Refuses an endpoint that is not in the request's subset, where it has one. Every profile has this filter.

    A subset names endpoints by `ip:port`, or by `ip` all of an address. An empty one allows none.
    """

    name = "endpoint-subset"
    reads = ("address", "ip")
    depends = Depends.CYCLE  # requests without a subset skip it
    required = True
    storages = ("lists",)

    def prepare(self, ask: RoutedRequest, table: ListTable, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return SKIP if ask.subset is None else None

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        allowed = ask.subset or frozenset()
        return [address in allowed or ip in allowed for address, ip in zip(rows.address, rows.ip, strict=True)]

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        text = "not one of the {named} addresses that the request allows"
        return Reasons("not-in-subset", named=len(ask.subset or ()), text=text)

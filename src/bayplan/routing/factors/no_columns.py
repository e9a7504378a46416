"""A producer that configurations may name and that makes nothing here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.rows import Rows
    from bayplan.routing.requests.routed_request import RoutedRequest


class NoColumns:
    """Makes no column, so that no profile ever runs it."""

    __slots__ = ()

    reads: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    storages = ("lists",)

    def produce(self, ask: RoutedRequest, rows: Rows, cycle: Cycle) -> Mapping[str, list[object]]:
        """Nothing."""
        return {}

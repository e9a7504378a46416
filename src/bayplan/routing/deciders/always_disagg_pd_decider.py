"""Prefill every prompt as a stage of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import DECIDER

if TYPE_CHECKING:
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.requests.routed_request import RoutedRequest


class AlwaysDisaggPdDecider:
    """Decides that every prompt is prefilled as a stage of its own."""

    name = "always-disagg-pd-decider"
    kinds = (DECIDER,)

    def splits(self, request: RoutedRequest, table: ListTable, row: int, now: float) -> bool:
        """Always."""
        return True

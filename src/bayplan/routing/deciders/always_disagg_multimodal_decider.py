"""Encode media as a stage of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import DECIDER

if TYPE_CHECKING:
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.requests.routed_request import RoutedRequest


class AlwaysDisaggMultimodalDecider:
    """Decides that a stage of its own encodes the media of every request that has some."""

    name = "always-disagg-multimodal-decider"
    kinds = (DECIDER,)

    def splits(self, request: RoutedRequest, table: ListTable, row: int, now: float) -> bool:
        """Whether the request has media."""
        return bool(request.media)

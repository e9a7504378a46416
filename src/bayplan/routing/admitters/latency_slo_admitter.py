"""Refuse sheddable requests whose objectives no endpoint can meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.factors.slo_headrooms import headroom_of
from bayplan.routing.plugin_kinds import ADMITTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.requests.routed_request import RoutedRequest

EMPTY_CACHE = 0.02
"""An endpoint with less of its KV cache in use has next to nothing to do, whatever is predicted for it."""


class LatencySloAdmitter:
    """Denies requests of negative priority with objectives for TTFT and TPOT where no candidate can meet them.

    A candidate can if it is predicted to, runs no request, or has a KV cache that is nearly empty. Without any
    prediction every request is admitted.
    """

    name = "latency-slo-admitter"
    kinds = (ADMITTER,)
    needs = ("predicted-latency-producer",)

    def denies(self, request: RoutedRequest, table: ListTable, rows: Sequence[int], cycle: Cycle) -> str | None:
        """Why the request is refused; None: it is admitted."""
        if request.priority >= 0 or request.slo_ttft_ms is None or request.slo_tpot_ms is None:
            return None
        columns = table.columns
        ttft_ms, tpot_ms = columns["predicted_ttft_ms"], columns["predicted_tpot_ms"]
        headrooms = [headroom_of(request, ttft_ms[row], tpot_ms[row]) for row in rows]
        if headrooms.count(None) == len(headrooms):
            return None
        can = any(headroom is not None and headroom.meets_both for headroom in headrooms)
        if can or any(_is_idle(columns["running"][row], columns["kv_usage"][row]) for row in rows):
            return None
        return f"none of {len(rows)} endpoints can meet its latency objectives"


def _is_idle(running: float | None, kv_usage: float | None) -> bool:
    return running == 0 or (kv_usage is not None and kv_usage < EMPTY_CACHE)

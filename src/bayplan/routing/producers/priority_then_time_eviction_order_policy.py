"""Which request in flight is evicted first."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import AROUND_REQUESTS


class PriorityThenTimeEvictionOrderPolicy:
    """Read, but without effect: the lowest priority is evicted first, of equals the newest."""

    name = "priority-then-time-eviction-order-policy"
    kinds = (AROUND_REQUESTS,)

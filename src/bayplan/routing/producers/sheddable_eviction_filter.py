"""Which requests in flight may be evicted."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import AROUND_REQUESTS


class SheddableEvictionFilter:
    """Read, but without effect: requests of negative priority may be evicted."""

    name = "sheddable-eviction-filter"
    kinds = (AROUND_REQUESTS,)

"""Places of endpoints."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import EXTRACTOR


class TopologyExtractor:
    """Read, but without effect: plugins read the places of endpoints from their labels."""

    name = "topology-extractor"
    kinds = (EXTRACTOR,)

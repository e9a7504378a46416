"""Sources of KV blocks in other endpoints."""

from __future__ import annotations

from bayplan.routing.factors.no_columns import NoColumns


class P2pSourceProducer(NoColumns):
    """Read, but without effect: blocks are not copied between endpoints."""

    name = "p2p-source-producer"

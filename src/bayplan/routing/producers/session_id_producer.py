"""Session ids of requests."""

from __future__ import annotations

from bayplan.routing.factors.no_columns import NoColumns


class SessionIdProducer(NoColumns):
    """Read, but without effect: plugins that use session ids find them by themselves."""

    name = "session-id-producer"

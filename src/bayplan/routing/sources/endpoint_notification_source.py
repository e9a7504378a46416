"""Endpoints that come and go."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import DATA_SOURCE


class EndpointNotificationSource:
    """Read, but without effect: every plugin hears of endpoints that come and go."""

    name = "endpoint-notification-source"
    kinds = (DATA_SOURCE,)

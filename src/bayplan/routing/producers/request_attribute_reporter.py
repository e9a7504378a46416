"""Attributes of requests for a gateway."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import AROUND_REQUESTS


class RequestAttributeReporter:
    """Read, but without effect: no attribute is reported."""

    name = "request-attribute-reporter"
    kinds = (AROUND_REQUESTS,)

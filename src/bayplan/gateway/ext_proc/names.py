"""Names of the endpoint picker protocol: the service, metadata and headers."""

from __future__ import annotations

from typing import Final

SERVICE: Final = "envoy.service.ext_proc.v3.ExternalProcessor"
PROCESS: Final = f"/{SERVICE}/Process"

LB_NAMESPACE: Final = "envoy.lb"
"""Metadata that a gateway's load balancer reads the destination from, and writes the served endpoint to."""
SERVED_KEY: Final = "x-gateway-destination-endpoint-served"
SCORES_KEY: Final = "x-gateway-destination-endpoint-scores"

SUBSET_NAMESPACE: Final = "envoy.lb.subset_hint"
SUBSET_KEY: Final = "x-gateway-destination-endpoint-subset"

OWN_NAMESPACE: Final = "bayplan"
REQUEST_KEY: Final = "request"
"""Metadata for an Envoy of ours: what the picker calls a request, whose first token Envoy then tells."""
FIRST_TOKEN: Final = "/bayplan/first-token"  # noqa: S105 (no password)
REQUEST_HEADER: Final = "x-bayplan-request"

SEEN_HEADER: Final = "x-went-into-resp-headers"
"""Set on responses in full duplex, as other pickers do: a gateway's tests look for it."""

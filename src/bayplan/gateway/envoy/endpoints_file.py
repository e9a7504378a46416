"""The endpoints as Envoy reads them: a file that is replaced whole, which Envoy notices by itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.gateway.envoy.configuration import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bayplan.routing.endpoints.endpoint import Endpoint

_TYPE: Final = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"


class EndpointsFile:
    """Written only when endpoints have changed. Those that are not ready are left out, unless none is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: bytes | None = None
        self._version = 0

    def write(self, endpoints: Iterable[Endpoint]) -> bool:
        """Write the file if it changes; whether it did."""
        found = sorted(endpoints, key=lambda each: each.address)
        shown = [each for each in found if each.ready] or found
        hosts = orjson.dumps([_host(each) for each in shown])
        if hosts == self._written:
            return False
        self._version += 1
        resource = {
            "@type": _TYPE,
            "cluster_name": ENDPOINTS,
            "endpoints": [{"lb_endpoints": orjson.Fragment(hosts)}],
        }
        replace(self._path, orjson.dumps({"version_info": str(self._version), "resources": [resource]}))
        self._written = hosts
        return True


def _host(endpoint: Endpoint) -> dict[str, Any]:
    return {"endpoint": {"address": {"socket_address": {"address": endpoint.ip, "port_value": endpoint.port}}}}


def replace(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, and nothing between."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(path)

"""What the API serves, for clients that ask before they do anything else: versions, groups, kinds and schemas."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response
from starlette.routing import Route

import bayplan
from bayplan.api.negotiation import JSON
from bayplan.api.objects import not_served
from bayplan.control.resources import discovery, openapi

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    Endpoint = Callable[[Request], Awaitable[Response]]

_AGGREGATED = "apidiscovery.k8s.io"
_AGGREGATED_TYPE = f"{JSON};g={_AGGREGATED};v=v2;as=APIGroupDiscoveryList"
_KUBERNETES = "1.32"
"""The version of Kubernetes whose conventions are followed: clients compare it with their own."""
_SAME_FOREVER = "public, immutable, max-age=31536000"

_OLD_SCHEMA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_EMPTY_SCHEMA = b"\x0a\x032.0"
"""An OpenAPI v2 document in protobuf that says its version, 2.0, and defines nothing.

kubectl asks for it only where version 3 does not know a kind, and then goes on without a schema.
"""


def discovery_routes(guarded: Callable[[Endpoint], Endpoint]) -> list[Route]:
    """The paths of discovery."""
    paths: dict[str, Endpoint] = {
        "/version": _version,
        "/api": _core,
        "/apis": _groups,
        "/api/{version}": _core_kinds,
        "/apis/{group}": _group,
        "/apis/{group}/{version}": _kinds,
        "/openapi/v3": _schemas,
        "/openapi/v3/api/{version}": _core_schema,
        "/openapi/v3/apis/{group}/{version}": _schema,
        "/openapi/v2": _old_schema,
    }
    return [Route(path, guarded(endpoint)) for path, endpoint in paths.items()]


async def _version(_: Request) -> Response:
    major, minor = _KUBERNETES.split(".")
    return _json(
        {
            "major": major,
            "minor": minor,
            "gitVersion": f"v{_KUBERNETES}.0+bayplan-{bayplan.__version__}",
            "platform": f"{platform.system().lower()}/{platform.machine()}",
        }
    )


def _wants_aggregated(request: Request) -> bool:
    first = request.headers.get("accept", "").split(",")[0]
    return f"g={_AGGREGATED}" in first and "v=v2;" in f"{first};".replace(" ", "")


async def _core(request: Request) -> Response:
    if _wants_aggregated(request):
        return _json(discovery.aggregated(core=True), _AGGREGATED_TYPE)
    return _json(discovery.core_versions(request.url.netloc))


async def _groups(request: Request) -> Response:
    if _wants_aggregated(request):
        return _json(discovery.aggregated(core=False), _AGGREGATED_TYPE)
    return _json(discovery.group_list())


async def _core_kinds(request: Request) -> Response:
    return _found(request, discovery.resource_list("", request.path_params["version"]))


async def _group(request: Request) -> Response:
    return _found(request, discovery.group_document(request.path_params["group"]))


async def _kinds(request: Request) -> Response:
    return _found(request, discovery.resource_list(request.path_params["group"], request.path_params["version"]))


async def _schemas(_: Request) -> Response:
    return _json(openapi.openapi_index())


async def _core_schema(request: Request) -> Response:
    return _schema_text(request, openapi.openapi_text("", request.path_params["version"]))


async def _schema(request: Request) -> Response:
    return _schema_text(request, openapi.openapi_text(request.path_params["group"], request.path_params["version"]))


async def _old_schema(request: Request) -> Response:
    if "protobuf" in request.headers.get("accept", ""):
        return Response(_EMPTY_SCHEMA, media_type=_OLD_SCHEMA_TYPE)
    return Response(openapi.openapi_v2_text(), media_type=JSON)


def _schema_text(request: Request, text: bytes | None) -> Response:
    if text is None:
        raise not_served(request.url.path)
    headers = {"Cache-Control": _SAME_FOREVER} if "hash" in request.query_params else {}
    return Response(text, 200, headers, JSON)


def _found(request: Request, document: dict[str, Any] | None) -> Response:
    if document is None:
        raise not_served(request.url.path)
    return _json(document)


def _json(document: dict[str, Any], media: str = JSON) -> Response:
    return Response(orjson.dumps(document), media_type=media)

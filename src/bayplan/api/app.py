"""The web application: routes, and errors as Status documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from bayplan.api.access.guard import report
from bayplan.api.discovery import discovery_routes
from bayplan.api.http_request import HttpRequest
from bayplan.api.negotiation import JSON
from bayplan.api.objects import Objects, not_served
from bayplan.api.paths import parse_path
from bayplan.api.status import Refusal, refusal_of
from bayplan.api.verbs.routes import Verbs
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from bayplan.api.access.tokens import Tokens
    from bayplan.api.backend import Backend

    Endpoint = Callable[[Request], Awaitable[Response]]

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def build_app(backend: Backend, tokens: Tokens | None = None) -> ASGIApp:
    """The application over a store; `tokens` are managed under /v1/tokens.

    Requests about objects go past the router and its middleware, which cost time and add nothing to them.
    """
    objects = Objects(backend)
    routed = _routed(backend, tokens)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = parse_path(scope["path"]) if scope["type"] == "http" and scope["method"] in _METHODS else None
        if path is None:
            await routed(scope, receive, send)
            return
        try:
            response = await objects.answer(HttpRequest(scope, receive), path)
        except Exception as error:
            response = _refused(error, scope)
        await response(scope, receive, send)

    return app


def _routed(backend: Backend, tokens: Tokens | None) -> Starlette:
    """Everything but objects: probes, discovery, schemas, and our own verbs."""
    return Starlette(
        routes=[
            *(Route(path, _health(backend)) for path in ("/livez", "/readyz", "/healthz")),
            *discovery_routes(guarded),
            *Verbs(backend, tokens).routes(guarded),
            Route("/{path:path}", guarded(_unknown), methods=_METHODS),
        ],
        exception_handlers={HTTPException: _no_route},
    )


def guarded(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its refusals as Status documents."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Exception as error:
            return _refused(error, request.scope)

    return answered


def _refused(error: Exception, scope: Scope) -> Response:
    """The answer to a request that could not be done; a client that went away gets none."""
    match error:
        case Refusal():
            return _status(error)
        case BayplanError():
            return _status(refusal_of(error))
        case ClientDisconnect():
            raise error
    return _status(_unexpected(report(error, scope)))


def _unexpected(number: str) -> Refusal:
    """500; the log has the same number, and the text of the error goes to neither, because it may repeat the body."""
    message = f"an internal error happened; the server's log names it under {number}"
    return Refusal(500, message, details={"uid": number})


async def _no_route(request: Request, error: Exception) -> Response:
    """What the router refuses: methods that a path does not have, OPTIONS among them."""
    code = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    return _status(Refusal(code, f"{request.method} is not possible on this path", headers=headers))


def _health(backend: Backend) -> Endpoint:
    """`ok`, or 500 while the loops beside the API cannot go on: a supervisor can restart the server."""

    async def health(_: Request) -> Response:
        error = None if backend.control is None else backend.control.failed
        if error is None:
            return Response("ok", media_type="text/plain")
        return Response(f"the scheduler fails: {type(error).__name__}; see the log", 500, media_type="text/plain")

    return health


async def _unknown(request: Request) -> Response:
    raise not_served(request.url.path)


def _status(refusal: Refusal) -> Response:
    return Response(orjson.dumps(refusal.document()), refusal.code, refusal.headers, JSON)

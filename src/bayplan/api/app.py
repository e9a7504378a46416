"""The web application: routes, and errors as Status documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from bayplan.api.negotiation import JSON
from bayplan.api.objects import not_served
from bayplan.api.status import Refusal, refusal_of
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from starlette.requests import Request

    from bayplan.api.objects import Objects

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def build_app(objects: Objects) -> Starlette:
    """The application over the handlers of objects."""

    async def kubernetes(request: Request) -> Response:
        try:
            return await objects.answer(request)
        except Refusal as refusal:
            return _status(refusal)
        except BayplanError as error:
            return _status(refusal_of(error))

    async def healthy(_: Request) -> Response:
        return Response("ok", media_type="text/plain")

    async def unknown(request: Request) -> Response:
        return _status(not_served(request.url.path))

    return Starlette(
        routes=[
            *(Route(path, healthy) for path in ("/livez", "/readyz", "/healthz")),
            Route("/api/{path:path}", kubernetes, methods=_METHODS),
            Route("/apis/{path:path}", kubernetes, methods=_METHODS),
            Route("/{path:path}", unknown, methods=_METHODS),
        ]
    )


def _status(refusal: Refusal) -> Response:
    return Response(orjson.dumps(refusal.document()), refusal.code, refusal.headers, JSON)

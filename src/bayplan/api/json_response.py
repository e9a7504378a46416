"""Answers that are one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from bayplan.api.negotiation import JSON

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_TYPE = (b"content-type", JSON.encode())


class JsonResponse(Response):
    """A document that is whole; its headers are written out, because reading them in takes Starlette a while."""

    media_type = JSON

    def __init__(self, body: bytes, status_code: int = 200) -> None:
        self.body = body
        self.status_code = status_code
        self.background = None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), _TYPE]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body})

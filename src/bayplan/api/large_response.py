"""Answers of many megabytes: sent piece by piece, so that other clients do not wait meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_PIECE = 256 * 1024  # bytes: encrypted in well under a millisecond


class LargeResponse(Response):
    """A response with its length in the header; its body is handed over in pieces, each when the last is on its way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        body = memoryview(self.body)
        for start in range(0, len(body), _PIECE):
            more = start + _PIECE < len(body)
            await send({"type": "http.response.body", "body": bytes(body[start : start + _PIECE]), "more_body": more})

"""GET of one object and of lists."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bayplan.api.json_response import JsonResponse
from bayplan.api.large_response import LargeResponse
from bayplan.api.negotiation import JSON
from bayplan.api.status import Cause, Refusal

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call

_AT_ONCE = 100  # objects that are written within a millisecond; more would hold up other clients
_EXACT = "Exact"
_NOT_OLDER = "NotOlderThan"


async def get(call: Call, backend: Backend) -> Response:
    """One object."""
    stored = await backend.store.get(call.key)
    return JsonResponse(call.text(stored, backend.clock))


async def list_objects(call: Call, backend: Backend) -> Response:
    """A list, or a page of it: by default of the newest state."""
    query = call.query
    page = await backend.store.list(
        call.resource.collection,
        call.path.namespace,
        call.selection(),
        limit=query.number("limit") or 0,
        next=query.text("continue"),
        revision=_exact_revision(call),
    )
    wanted = query.number("resourceVersion") or 0
    if wanted > page.revision:
        raise too_new(wanted, page.revision)
    view = call.view(backend.clock)
    if len(page.items) <= _AT_ONCE:
        return JsonResponse(view.list_text(page))
    return LargeResponse(await asyncio.to_thread(view.list_text, page), media_type=JSON)


def _exact_revision(call: Call) -> int | None:
    match, revision = call.query.text("resourceVersionMatch"), call.query.number("resourceVersion")
    if match not in ("", _EXACT, _NOT_OLDER):
        raise Refusal(400, f"resourceVersionMatch: {match[:40]!r} is not known; use {_EXACT} or {_NOT_OLDER}")
    if match == _EXACT and not revision:
        raise Refusal(400, "resourceVersionMatch: Exact needs a resourceVersion greater than 0")
    if match and revision is None:
        raise Refusal(400, "resourceVersionMatch: is of no use without resourceVersion; give both")
    if call.query.text("continue") and (revision or match):
        raise Refusal(400, "specifying resource version is not allowed when using continue: it holds the revision")
    return revision if match == _EXACT else None


def too_new(wanted: int, present: int) -> Refusal:
    """A client that saw a later revision than this store has: it spoke with another store before."""
    cause = Cause("", f"revision {wanted} was asked for", "ResourceVersionTooLarge")
    message = f"Too large resource version: {wanted}, current: {present}"
    return Refusal(504, message, "Timeout", [cause], {"retryAfterSeconds": 1}, {"Retry-After": "1"})

"""Watches: an endless answer of one JSON line for each change."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import orjson
from starlette.responses import StreamingResponse

from bayplan.api.initial_events import INITIAL_EVENTS_END, InitialEventsEnd, changes, check_options, check_revision
from bayplan.api.negotiation import JSON
from bayplan.api.status import refusal_of
from bayplan.control.store import ChangeType
from bayplan.control.store_errors import ExpiredError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.api.rendering import View
    from bayplan.control.store import Change

_LARGE_PIECE = 256 * 1024  # bytes; four times what the transport takes before it asks to wait
_SHORTEST_S, _LONGEST_S = 1800, 3600  # as the API server: clients of one start do not come back all at once


async def watch(call: Call, backend: Backend) -> StreamingResponse:
    """Changes from now on, or after the resourceVersion that the client gives."""
    backend.watches.check(call.user)
    check_options(call)
    await check_revision(call, backend)
    call.selection()  # what is wrong with it is told before the answer begins
    lasts_s = call.query.number("timeoutSeconds") or random.uniform(_SHORTEST_S, _LONGEST_S)  # noqa: S311
    return StreamingResponse(_lines(call, backend, lasts_s), media_type=f"{JSON};stream=watch")


async def _lines(call: Call, backend: Backend, lasts_s: float) -> AsyncIterator[bytes]:
    try:
        with backend.watches.counted(call.user):
            async with asyncio.timeout(lasts_s):
                async for ready in changes(call, backend):
                    for piece in _pieces(call.view(backend.clock), ready):
                        yield piece
    except TimeoutError:
        return  # the client asks again from where it is
    except ExpiredError as error:
        yield b'{"type":"ERROR","object":%b}\n' % orjson.dumps(refusal_of(error).document())


def _pieces(view: View, ready: Sequence[Change]) -> Iterator[bytes]:
    """The lines joined, because one piece costs much less than many; not all where a slow client has much to catch up
    with, because what waits to be sent to each client is a copy in memory.
    """
    lines, size = [], 0
    for change in ready:
        lines.append(_line(view, change))
        size += len(lines[-1])
        if size >= _LARGE_PIECE:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def _line(view: View, change: Change) -> bytes:
    if change.type is ChangeType.BOOKMARK:
        metadata = {"resourceVersion": str(change.stored.revision), "creationTimestamp": None} | (
            {"annotations": {INITIAL_EVENTS_END: "true"}} if isinstance(change, InitialEventsEnd) else {}
        )
        mark = {"kind": view.resource.kind, "apiVersion": str(view.api), "metadata": metadata}
        return b'{"type":"BOOKMARK","object":%b}\n' % orjson.dumps(mark)
    if view.as_stored:
        return change.line()
    return b'{"type":"%b","object":%b}\n' % (change.type.encode(), view.text(change.stored))

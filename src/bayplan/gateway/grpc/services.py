"""Calls by their paths: which service answers a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.gateway.grpc.call import Call
from bayplan.gateway.grpc.statuses import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.gateway.http2.request_head import RequestHead
    from bayplan.gateway.http2.stream import Stream, StreamHandler

    Opener = Callable[[Stream], StreamHandler]
    Note = Callable[[RequestHead], None]

_NOT_GRPC = b"\x08\x03415"  # :status: 415 as a literal with the name of the static table's entry 8
_NO_CONTENT = b"\x89"  # :status: 204


class Services:
    """An application of HTTP/2: `/package.Service/Method` to the function that opens its call.

    `notes` are paths of plain requests that only tell something, in their headers.
    """

    def __init__(self, openers: Mapping[str, Opener], notes: Mapping[str, Note] | None = None) -> None:
        self._openers = dict(openers)
        self._notes = dict(notes or {})

    def __call__(self, stream: Stream, head: RequestHead) -> StreamHandler:
        opener = self._openers.get(head.path)
        if opener is not None and head.method == "POST" and _is_grpc(head):
            return opener(stream)
        if not _is_grpc(head):
            note = self._notes.get(head.path)
            if note is not None:
                note(head)
            stream.end(_NOT_GRPC if note is None else _NO_CONTENT)
            return _Unserved(stream)
        call = _Unserved(stream)
        call.finish(Status.UNIMPLEMENTED, f"no service has {head.path[:200]}")
        return call


class _Unserved(Call):
    """A call that was answered by its head alone."""

    __slots__ = ()

    def received(self, message: bytes) -> None:
        """Nobody wants it."""


def _is_grpc(head: RequestHead) -> bool:
    return head.headers.get("content-type", "").startswith("application/grpc")

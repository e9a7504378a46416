"""What a gateway is told: envoy.service.ext_proc.v3.ProcessingResponse.

    ProcessingResponse   request_headers 1, response_headers 2 (HeadersResponse); request_body 3, response_body 4
                         (BodyResponse); request_trailers 5, response_trailers 6; immediate_response 7;
                         dynamic_metadata 8 (Struct); override_message_timeout 10 (Duration)
    HeadersResponse,
    BodyResponse         response 1 (CommonResponse)
    CommonResponse       header_mutation 2, body_mutation 3, clear_route_cache 5
    HeaderMutation       set_headers 1 (HeaderValueOption), remove_headers 2
    HeaderValueOption    header 1 (HeaderValue: key 1, raw_value 3), append_action 3
    BodyMutation         body 1, clear_body 2, streamed_response 3 (StreamedBodyResponse: body 1, end_of_stream 2)
    ImmediateResponse    status 1 (HttpStatus: code 1), headers 2 (HeaderMutation), body 3, details 5

All functions give messages that are framed for gRPC; several of them can be sent as one piece.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bayplan.gateway.grpc.call import framed, prefix
from bayplan.gateway.protobuf.structs import write_struct
from bayplan.gateway.protobuf.writer import message, number, opening, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

REQUEST: Final = 0
RESPONSE: Final = 1

CHUNK_BYTES: Final = 62_000
"""Of a body in full duplex: with what stands around it, a message stays below 64 KiB, as Envoy's API recommends."""

_OVERWRITE: Final = number(3, 2)  # a header that the client sent must not stand beside ours
_CLEAR_ROUTE: Final = number(5, 1)
_END_OF_STREAM: Final = number(2, 1)


def mutation(headers: Mapping[str, str], removed: Iterable[str] = ()) -> bytes:
    """A HeaderMutation: headers to set in place of what is there, and names to remove."""
    options = (
        message(1, message(1, text(1, name) + message(3, value.encode("latin-1", "replace"))) + _OVERWRITE)
        for name, value in headers.items()
    )
    return b"".join(options) + b"".join(text(2, name) for name in removed)


def dynamic_metadata(values: Mapping[str, Any]) -> bytes:
    """The field of a reply whose outer names are namespaces of metadata."""
    return message(8, write_struct(values))


def headers_reply(side: int, changes: bytes = b"", metadata: bytes = b"", *, clears_route: bool = False) -> bytes:
    """The reply to headers; `changes` is a HeaderMutation, `metadata` as `dynamic_metadata` makes it."""
    common = (message(2, changes) if changes else b"") + (_CLEAR_ROUTE if clears_route else b"")
    return framed(message(1 + side, message(1, common) if common else b"") + metadata)


def body_reply(side: int, changes: bytes = b"", metadata: bytes = b"", *, body: bytes | None = None) -> bytes:
    """The reply to a piece of a body that Envoy itself keeps; `body` takes its place, if given."""
    common = message(2, changes) if changes else b""
    if body is not None:
        common += message(3, message(1, body) if body else number(2, 1))
    return framed(message(3 + side, message(1, common) if common else b"") + metadata)


def streamed_body(side: int, body: bytes, *, ends: bool) -> bytes:
    """A body in full duplex, in as many messages as it needs; `ends` where no trailers follow."""
    if len(body) <= CHUNK_BYTES:
        return _streamed_piece(side, body, ends)
    last = (len(body) - 1) // CHUNK_BYTES * CHUNK_BYTES
    return b"".join(
        _streamed_piece(side, body[at : at + CHUNK_BYTES], ends and at == last)
        for at in range(0, len(body), CHUNK_BYTES)
    )


def _streamed_piece(side: int, piece: bytes, ends: bool) -> bytes:
    opened = _before_piece(side, len(piece), ends)
    return opened + piece + _END_OF_STREAM if ends else opened + piece


@lru_cache(maxsize=1_024)  # pieces of a stream have few sizes
def _before_piece(side: int, size: int, ends: bool) -> bytes:
    """All that stands before a piece: the prefix of gRPC, and the openings of the messages around it."""
    opened = opening(1, size)
    around = size + len(_END_OF_STREAM) if ends else size
    for field in (3, 3, 1, 3 + side):
        opened = opening(field, len(opened) + around) + opened
    return prefix(len(opened) + around) + opened


def immediate(status: int, headers: Mapping[str, str], body: bytes, details: str) -> bytes:
    """An answer in place of any endpoint's."""
    return framed(
        message(
            7,
            message(1, number(1, status)) + message(2, mutation(headers)) + message(3, body) + text(5, details),
        )
    )


def longer_timeout(seconds: int) -> bytes:
    """Ask the gateway to wait so long for the reply to its last message."""
    return framed(message(10, number(1, seconds)))


CONTINUE_REQUEST: Final = headers_reply(REQUEST)
CONTINUE_REQUEST_BODY: Final = body_reply(REQUEST)
CLEAR_REQUEST_BODY: Final = body_reply(REQUEST, body=b"")
CONTINUE_REQUEST_TRAILERS: Final = framed(message(5, b""))
CONTINUE_RESPONSE: Final = headers_reply(RESPONSE)
CONTINUE_RESPONSE_BODY: Final = body_reply(RESPONSE)
CONTINUE_RESPONSE_TRAILERS: Final = framed(message(6, b""))

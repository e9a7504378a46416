"""What relay processes say to each other: short binary frames.

    length   4 bytes, of what follows
    kind     1 byte
    id       1 byte with its length, then the request's name at the router; empty for frames about no request
    payload  as its kind says

Both ends are of one version and one user: a frame that cannot be read ends the connection.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.gateway.relay.desk import Ending
from bayplan.routing.answer import Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.routed_request import RoutedRequest
from bayplan.telemetry.request_metrics import EndedRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a frame: more than the largest body that can be configured usefully, and less than would fill the memory."""
_HEAD: Final = struct.Struct(">IBB")
_PART: Final = struct.Struct(">I")
_FACTS: Final = struct.Struct(">BHddQQ?qqq")
_ENDINGS: Final = tuple(Ending)
_UNKNOWN: Final = -1


class Kind(IntEnum):
    """What a frame says."""

    ASK = 1
    """Worker: a request has come. Its head as JSON, then its body."""
    FIRST_TOKEN = 2
    """Worker: the first bytes of its answer have come; their status."""
    FAILED = 3
    """Worker: its engine failed; how."""
    ENDED = 4
    """Worker: it is over; what is known of it."""
    COUNTED = 5
    """Worker: something to count that is about no request; its name as JSON."""
    STATE = 6
    """Worker: how many connections it has, once a second, as JSON."""
    ANSWER = 10
    """Owner: the router's word, as JSON, then the new body where there is one."""
    NEXT = 11
    """Owner: what to try after a failure, as ANSWER; without a payload: nothing."""
    ENDPOINTS = 12
    """Owner: all endpoints that are ready, as JSON."""
    SILENT = 13
    """Owner: the addresses of endpoints that tell no metrics any more, as JSON; looked at once a second."""


class FrameError(Exception):
    """The bytes are no frames."""


def frame(kind: Kind, name: str = "", payload: bytes = b"") -> bytes:
    """One frame."""
    id_ = name.encode()
    return _HEAD.pack(2 + len(id_) + len(payload), kind, len(id_)) + id_ + payload


class Frames:
    """Cuts received bytes into frames."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of a frame that is not complete
        self._held = 0
        self._needed = _HEAD.size

    def feed(self, data: bytes) -> list[tuple[int, str, bytes]]:
        """Kind, id and payload of each frame that is complete."""
        self._pieces.append(data)
        self._held += len(data)
        if self._held < self._needed:
            return []  # a large body comes in many pieces, which are joined once
        data = b"".join(self._pieces)
        found, position, size, self._needed = [], 0, len(data), _HEAD.size
        while size - position >= _HEAD.size:
            length, kind, id_length = _HEAD.unpack_from(data, position)
            if not 2 + id_length <= length <= MOST_BYTES:
                raise FrameError(f"a frame of {length} bytes")
            begin, end = position + _HEAD.size, position + 4 + length
            if end > size:
                self._needed = 4 + length
                break
            found.append((kind, data[begin : begin + id_length].decode(), data[begin + id_length : end]))
            position = end
        self._pieces, self._held = [data[position:]], size - position
        return found


# requests


def asked(request_id: str, path: str, texts: Mapping[str, str], body: bytes) -> bytes:
    """The payload of ASK."""
    head = orjson.dumps([request_id, path, texts])
    return _PART.pack(len(head)) + head + body


def read_asked(payload: bytes) -> tuple[str, str, dict[str, str], bytes]:
    """Request id, path, headers and body."""
    head, body = _parts(payload)
    request_id, path, texts = head
    return request_id, path, texts, body


def facts(ended: EndedRequest) -> bytes:
    """The payload of ENDED."""
    return _FACTS.pack(
        _ENDINGS.index(Ending(ended.ending)),
        ended.status or 0,
        ended.duration_s,
        nan if ended.ttft_s is None else ended.ttft_s,
        ended.request_bytes,
        ended.response_bytes,
        ended.is_stream,
        *(_UNKNOWN if each is None else each for each in (ended.prompt_tokens, ended.completion_tokens)),
        _UNKNOWN if ended.cached_tokens is None else ended.cached_tokens,
    )


def read_facts(payload: bytes) -> EndedRequest:
    """What ENDED says."""
    ending, status, duration_s, ttft_s, sent, received, is_stream, *tokens = _FACTS.unpack(payload)
    return EndedRequest(
        _ENDINGS[ending],
        status or None,
        duration_s,
        None if isnan(ttft_s) else ttft_s,
        sent,
        received,
        is_stream,
        *(None if each == _UNKNOWN else each for each in tokens),
    )


# answers


def answered(answer: Answer) -> bytes:
    """The payload of ANSWER and NEXT: what a worker needs of it."""
    request = answer.request
    head = orjson.dumps(
        {
            "status": answer.status,
            "reason": answer.reason,
            "message": answer.message,
            "picked": _endpoint(answer.picked[0]) if answer.picked else None,
            "headers": answer.headers,
            "response_headers": answer.response_headers,
            "models": [request.asked_model, request.model],
            "path": answer.path,
        }
    )
    length = _PART.pack(len(head))
    return length + head if answer.body is None else length + head + b"\x01" + answer.body


def read_answered(name: str, payload: bytes) -> Answer:
    """What ANSWER and NEXT say, as an answer about a request of that name."""
    head, body = _parts(payload)
    asked_model, model = head["models"]
    return Answer(
        RoutedRequest(name, asked_model=asked_model, model=model),
        head["status"],
        head["reason"],
        head["message"],
        picked=() if head["picked"] is None else (Endpoint(*head["picked"]),),
        headers=head["headers"],
        response_headers=head["response_headers"],
        body=body[1:] if body else None,
        path=head["path"],
    )


def endpoints(ready: Iterable[Endpoint]) -> bytes:
    """The payload of ENDPOINTS."""
    return orjson.dumps([_endpoint(each) for each in ready])


def read_endpoints(payload: bytes) -> list[Endpoint]:
    """What ENDPOINTS says."""
    return [Endpoint(*each) for each in orjson.loads(payload)]


def _endpoint(endpoint: Endpoint) -> list[Any]:
    return [endpoint.name, endpoint.ip, endpoint.port, endpoint.namespace]


def _parts(payload: bytes) -> tuple[Any, bytes]:
    (length,) = _PART.unpack_from(payload)
    end = _PART.size + length
    return orjson.loads(payload[_PART.size : end]), payload[end:]

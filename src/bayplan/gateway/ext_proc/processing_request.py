"""What a gateway sends: envoy.service.ext_proc.v3.ProcessingRequest.

    ProcessingRequest      request_headers 2, response_headers 3 (HttpHeaders); request_body 4, response_body 5
                           (HttpBody); request_trailers 6, response_trailers 7; metadata_context 8;
                           observability_mode 10; protocol_config 11
    HttpHeaders            headers 1 (HeaderMap), end_of_stream 3
    HeaderMap              headers 1 (HeaderValue)
    HeaderValue            key 1, value 2, raw_value 3
    HttpBody               body 1, end_of_stream 2
    ProtocolConfiguration  request_body_mode 1, response_body_mode 2, send_body_without_waiting_for_header_response 3
    Metadata               filter_metadata 1 (map of text to Struct)

Headers come with each request and bodies may be long, so these two are read in place, without the general reader.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from bayplan.gateway.ext_proc.body_mode import BodyMode, Modes
from bayplan.gateway.protobuf.reader import LENGTH, VARINT, WireError, fields, span
from bayplan.gateway.protobuf.structs import entries, read_struct

REQUEST_HEADERS: Final = 2
RESPONSE_HEADERS: Final = 3
REQUEST_BODY: Final = 4
RESPONSE_BODY: Final = 5
REQUEST_TRAILERS: Final = 6
RESPONSE_TRAILERS: Final = 7

_KINDS: Final = frozenset(range(REQUEST_HEADERS, RESPONSE_TRAILERS + 1))
_METADATA: Final = 8
_OBSERVED: Final = 10
_MODES: Final = 11

# tags of fields with a length, as they stand in the bytes
_FIRST: Final = 0x0A
_VALUES: Final = (0x1A, 0x12)
_SHORTEST: Final = 6  # a header with an empty name and an empty value, with its own tag and length
_STATUS: Final = b"\x0a\x07:status\x1a\x03"
_ONE_BYTE: Final = 0x80  # lengths below it take one byte


class ProcessingRequest(NamedTuple):
    """One message: its kind, and where in `data` its content stands. `metadata` and `modes` are None where absent."""

    kind: int
    data: bytes
    begin: int
    end: int
    metadata: bytes | None
    modes: Modes | None
    is_observed: bool


class Body(NamedTuple):
    """A piece of a body; `ends` where nothing follows, not even trailers."""

    data: bytes
    ends: bool


class Head(NamedTuple):
    """Headers with lower-case names, those of one name joined by commas; `ends` where no body follows."""

    headers: dict[str, str]
    ends: bool


def read_request(data: bytes) -> ProcessingRequest:
    """Find the parts of a message. A message of no known kind has the kind 0."""
    found = begin = end = 0
    metadata: bytes | None = None
    modes: Modes | None = None
    is_observed = False
    for number, kind, start, stop in fields(data):
        if number in _KINDS and kind == LENGTH:
            found, begin, end = number, start, stop
        elif number == _METADATA and kind == LENGTH:
            metadata = data[start:stop]
        elif number == _OBSERVED and kind == VARINT:
            is_observed = bool(start)
        elif number == _MODES and kind == LENGTH:
            modes = _modes(data, start, stop)
    return ProcessingRequest(found, data, begin, end, metadata, modes, is_observed)


def _modes(data: bytes, at: int, end: int) -> Modes:
    found = {number: value for number, kind, value, _ in fields(data, at, end) if kind == VARINT}
    request, response = found.get(1, 0), found.get(2, 0)
    try:
        return Modes(BodyMode(request), BodyMode(response), bool(found.get(3)))
    except ValueError:
        raise WireError(f"body modes {request} and {response}; known are 0 to {max(BodyMode)}") from None


def read_body(message: ProcessingRequest) -> Body:
    """The content of an HttpBody."""
    data, at, end = message.data, message.begin, message.end
    if at < end and data[at] == _FIRST:  # nearly always: the body, and then nothing or the end of the stream
        begin, at = span(data, at + 1, end)
        if at == end:
            return Body(data[begin:at], ends=False)
        if end - at == 2 and data[at] == 0x10:
            return Body(data[begin:at], ends=bool(data[at + 1]))
    body, ends = b"", False
    for number, kind, begin, stop in fields(data, message.begin, end):
        if number == 1 and kind == LENGTH:
            body = data[begin:stop]
        elif number == 2 and kind == VARINT:
            ends = bool(begin)
    return Body(body, ends)


def read_head(message: ProcessingRequest) -> Head:
    """The content of HttpHeaders."""
    data = message.data
    headers: dict[str, str] = {}
    ends = False
    for number, kind, begin, stop in fields(data, message.begin, message.end):
        if number == 1 and kind == LENGTH:
            _headers(data, begin, stop, headers)
        elif number == 3 and kind == VARINT:
            ends = bool(begin)
    return Head(headers, ends)


def _headers(data: bytes, at: int, end: int, headers: dict[str, str]) -> None:
    """The headers of a HeaderMap. Those with one-byte lengths, key before value, are read without calls."""
    while at < end:
        stop = at + 2 + data[at + 1] if end - at > _SHORTEST else 0
        name_end = at + 4 + data[at + 3] if stop else 0
        if (
            name_end + 2 <= stop <= end
            and data[at] == data[at + 2] == _FIRST
            and data[at + 1] < _ONE_BYTE
            and data[name_end] in _VALUES
            and name_end + 2 + data[name_end + 1] == stop
        ):
            name, value = data[at + 4 : name_end].decode("latin-1"), data[name_end + 2 : stop].decode("latin-1")
            at = stop
        else:
            name, value, at = _long_header(data, at, end)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value


def _long_header(data: bytes, at: int, end: int) -> tuple[str, str, int]:
    """Any field of a HeaderMap; what is no header has no name."""
    number, kind, begin, stop = next(fields(data, at, end))
    found = {1: b"", 2: b"", 3: b""}
    if number == 1 and kind == LENGTH:
        for part, part_kind, part_begin, part_end in fields(data, begin, stop):
            if part_kind == LENGTH:
                found[part] = data[part_begin:part_end]
    return found[1].decode("latin-1"), (found[3] or found[2]).decode("latin-1"), stop


def status_of(message: ProcessingRequest) -> int | None:
    """The status of a response's headers; None where there is none that can be read."""
    at = message.data.find(_STATUS, message.begin, message.end)
    text = message.data[at + len(_STATUS) : at + len(_STATUS) + 3] if at >= 0 else b""
    if not text.isdigit():
        text = read_head(message).headers.get(":status", "").encode("latin-1")
    return int(text) if text.isdigit() and len(text) == 3 else None


def ends_stream(message: ProcessingRequest) -> bool:
    """Whether headers have no body after them."""
    return any(
        number == 3 and kind == VARINT and value
        for number, kind, value, _ in fields(message.data, message.begin, message.end)
    )


def metadata_value(metadata: bytes, namespace: str, key: str) -> Any:
    """A value of the filter metadata; None where it is not told."""
    for name, begin, end in entries(metadata):
        if name == namespace:
            return read_struct(metadata, begin, end).get(key)
    return None

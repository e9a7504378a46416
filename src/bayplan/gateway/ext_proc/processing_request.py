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

# tags as they stand in the bytes: the number of a field, and its kind
_METADATA: Final = 8
_OBSERVED: Final = 10
_MODES: Final = 11
_PARTS: Final = {
    number << 3 | LENGTH: number for number in (*range(REQUEST_HEADERS, RESPONSE_TRAILERS + 1), _METADATA, _MODES)
}
_FIRST: Final = 1 << 3 | LENGTH
_RAW_VALUE: Final = 3 << 3 | LENGTH

_ONE_BYTE: Final = 0x80  # lengths below it take one byte
_STATUS: Final = b"\x0a\x07:status\x1a\x03"  # key, its length, and a raw value of three bytes
_KEPT_MODES: Final = 64  # gateways have one or two
_KEPT_HEADERS: Final = 2_048  # names of requests are never equal, so they fill it again and again

_known_modes: dict[bytes, Modes] = {}
_known_headers: dict[bytes, tuple[str, str]] = {}


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
    at, size = 0, len(data)
    found = begin = end = 0
    metadata: bytes | None = None
    modes: Modes | None = None
    is_observed = False
    while size - at > 1:
        part = _PARTS.get(data[at])
        if part is None:
            number, kind, value, at = next(fields(data, at))
            is_observed = is_observed or (number == _OBSERVED and kind == VARINT and bool(value))
            continue
        start, at = span(data, at + 1, size)
        if part < _METADATA:
            found, begin, end = part, start, at
        elif part == _METADATA:
            metadata = data[start:at]
        else:
            modes = _modes(data[start:at])
    if at < size:
        raise WireError("a message ends inside a field")
    return ProcessingRequest(found, data, begin, end, metadata, modes, is_observed)


def _modes(data: bytes) -> Modes:
    modes = _known_modes.get(data)
    if modes is None:
        found = {number: value for number, kind, value, _ in fields(data) if kind == VARINT}
        request, response = found.get(1, 0), found.get(2, 0)
        try:
            modes = Modes(BodyMode(request), BodyMode(response), bool(found.get(3)))
        except ValueError:
            raise WireError(f"body modes {request} and {response}; known are 0 to {max(BodyMode)}") from None
        if len(_known_modes) < _KEPT_MODES:
            _known_modes[data] = modes
    return modes


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
    data, at, end = message.data, message.begin, message.end
    headers: dict[str, str] = {}
    if at < end and data[at] == _FIRST:
        begin, at = span(data, at + 1, end)
        _headers(data, begin, at, headers)
    return Head(headers, at < end and _says_end(data, at, end))


def ends_stream(message: ProcessingRequest) -> bool:
    """Whether headers, which are not read here, have no body after them."""
    data, at, end = message.data, message.begin, message.end
    if at < end and data[at] == _FIRST:
        _, at = span(data, at + 1, end)
    return at < end and _says_end(data, at, end)


def _says_end(data: bytes, at: int, end: int) -> bool:
    """Whether `end_of_stream` is set in what follows the headers."""
    return any(number == 3 and kind == VARINT and value for number, kind, value, _ in fields(data, at, end))


def _headers(data: bytes, at: int, end: int, headers: dict[str, str]) -> None:
    """The headers of a HeaderMap. Nearly all of them came before with another request: those are looked up."""
    known = _known_headers
    while end - at > 1:
        stop = at + 2 + data[at + 1]
        if data[at] == _FIRST and stop <= end and stop - at < _ONE_BYTE:
            content = data[at + 2 : stop]
            name, value = known.get(content) or _learn(content)
            at = stop
        else:
            name, value, at = _long_header(data, at, end)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if at < end:
        raise WireError("a message ends inside a header")


def _learn(content: bytes) -> tuple[str, str]:
    """Read a HeaderValue of less than 128 bytes, and remember it."""
    if len(_known_headers) >= _KEPT_HEADERS:
        _known_headers.clear()
    size = len(content)
    if size > 1 and content[0] == _FIRST:
        key_end = 2 + content[1]
        value_at = key_end + 2
        if value_at <= size and content[key_end] == _RAW_VALUE and content[key_end + 1] == size - value_at:
            found = content[2:key_end].decode("latin-1"), content[value_at:].decode("latin-1")
            _known_headers[content] = found
            return found
    found = _known_headers[content] = _header(content, 0, size)
    return found


def _long_header(data: bytes, at: int, end: int) -> tuple[str, str, int]:
    """Any field of a HeaderMap; what is no header has no name."""
    number, kind, begin, stop = next(fields(data, at, end))
    return (*(_header(data, begin, stop) if number == 1 and kind == LENGTH else ("", "")), stop)


def _header(data: bytes, at: int, end: int) -> tuple[str, str]:
    found = {1: b"", 2: b"", 3: b""}
    for number, kind, begin, stop in fields(data, at, end):
        if kind == LENGTH:
            found[number] = data[begin:stop]
    return found[1].decode("latin-1"), (found[3] or found[2]).decode("latin-1")


def status_of(message: ProcessingRequest) -> int | None:
    """The status in a response's headers; None where it cannot be read."""
    at = message.data.find(_STATUS, message.begin, message.end)
    text = message.data[at + len(_STATUS) : at + len(_STATUS) + 3] if at >= 0 else b""
    return int(text) if text.isdigit() and len(text) == 3 else None


def metadata_value(metadata: bytes, namespace: str, key: str) -> Any:
    """A value of the filter metadata; None where it is not told."""
    for name, begin, end in entries(metadata):
        if name == namespace:
            return read_struct(metadata, begin, end).get(key)
    return None

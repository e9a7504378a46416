"""What a gateway writes and reads, without a line of the code under test; and a picker to talk to."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

from bayplan.gateway.ext_proc.context import Context
from bayplan.gateway.ext_proc.processing_stream import ProcessingStream
from bayplan.gateway.relay.decision_records import DecisionRecords
from bayplan.gateway.relay.local_desk import LocalDesk
from bayplan.gateway.relay.settings import Records
from bayplan.telemetry.metrics import routing_catalogue
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.routing_metrics import RoutingMetrics
from unit.gateway.http2.wire import END_HEADERS, REQUEST, Session, block, data, decoded, raw, reset, size_update

STREAMED, BUFFERED, DUPLEX = (1, 0, True), (2, 0, False), (4, 4, False)
KINDS = {
    "request_headers": 2,
    "response_headers": 3,
    "request_body": 4,
    "response_body": 5,
    "request_trailers": 6,
    "response_trailers": 7,
}
REPLIES = (
    "",
    "request_headers",
    "response_headers",
    "request_body",
    "response_body",
    "request_trailers",
    "response_trailers",
    "immediate",
)
HEADERS = {":method": "POST", ":path": "/v1/completions", ":authority": "here", "content-type": "application/json"}
BODY = b'{"model": "m", "prompt": "hello there"}'


def field(number: int, content: bytes | int) -> bytes:
    """A field as protobuf writes it."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    found = b""
    while value >= 0x80:
        found += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return found + bytes((value,))


def read(message: bytes) -> dict[int, list[Any]]:
    """The fields of a message: numbers, and bytes."""
    found: dict[int, list[Any]] = {}
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            found.setdefault(tag >> 3, []).append(number())
        elif tag & 7 == 1:
            found.setdefault(tag >> 3, []).append(struct.unpack_from("<d", message, at)[0])
            at += 8
        else:
            size = number()
            found.setdefault(tag >> 3, []).append(message[at : at + size])
            at += size
    return found


def struct_of(values: dict[str, Any]) -> bytes:
    """A google.protobuf.Struct of text, lists and mappings."""

    def value(each: Any) -> bytes:
        if isinstance(each, str):
            return field(3, each.encode())
        if isinstance(each, list):
            return field(6, b"".join(field(1, value(one)) for one in each))
        return field(5, struct_of(each))

    return b"".join(field(1, field(1, name.encode()) + field(2, value(each))) for name, each in values.items())


def plain(message: bytes) -> dict[str, Any]:
    """A Struct as data."""

    def value(each: bytes) -> Any:
        ((number, (found, *_)),) = read(each).items()
        if number == 5:
            return plain(found)
        return found.decode() if number == 3 else found

    return {read(each)[1][0].decode(): value(read(each)[2][0]) for each in read(message).get(1, [])}


def http_headers(headers: dict[str, str] | list[tuple[str, str]], *, ends: bool = False) -> bytes:
    pairs = headers.items() if isinstance(headers, dict) else headers
    values = b"".join(field(1, field(1, name.encode()) + field(3, value.encode())) for name, value in pairs)
    return field(1, values) + (field(3, 1) if ends else b"")


def body(content: bytes, *, ends: bool = False) -> bytes:
    return (field(1, content) if content else b"") + (field(2, 1) if ends else b"")


def message(
    kind: str, content: bytes, *, modes: tuple[int, int, bool] | None = None, metadata: dict[str, Any] | None = None
) -> bytes:
    """A ProcessingRequest."""
    found = field(KINDS[kind], content)
    if metadata is not None:
        entries = (field(1, field(1, name.encode()) + field(2, struct_of(values))) for name, values in metadata.items())
        found += field(8, b"".join(entries))
    if modes is not None:
        found += field(11, b"".join(field(number, int(value)) for number, value in enumerate(modes, 1) if value))
    return found


class Reply:
    """A ProcessingResponse, taken apart."""

    def __init__(self, content: bytes) -> None:
        fields = read(content)
        (self.number,) = [number for number in fields if number < 8] or [0]
        self.kind = REPLIES[self.number]
        inner = read(fields[self.number][0]) if self.number else {}
        self.metadata = plain(fields[8][0]) if 8 in fields else {}
        self.timeout_s = read(fields[10][0])[1][0] if 10 in fields else None
        common = inner if self.kind == "immediate" else read(inner[1][0]) if 1 in inner else {}
        self.status = read(common[1][0])[1][0] if self.kind == "immediate" else None
        self.headers, self.removed = _mutation(common.get(2, [b""])[0])
        self.clears_route = common.get(5, [0])[0] == 1
        self.body: bytes | None = common.get(3, [None])[0]
        self.ends = self.streams = self.clears = False
        if (
            self.kind in ("request_headers", "request_body", "response_headers", "response_body")
            and self.body is not None
        ):
            self._take_body(read(self.body))

    def _take_body(self, mutation: dict[int, list[Any]]) -> None:
        self.body = mutation.get(1, [None])[0]
        self.clears = mutation.get(2, [0])[0] == 1
        if 3 in mutation:
            streamed = read(mutation[3][0])
            self.streams, self.body, self.ends = True, streamed.get(1, [b""])[0], streamed.get(2, [0])[0] == 1

    def __repr__(self) -> str:
        return f"{self.kind or 'timeout'} {self.headers}"


def _mutation(content: bytes) -> tuple[dict[str, str], list[str]]:
    found = read(content)
    headers = {}
    for option in map(read, found.get(1, [])):
        assert option[3] == [2], "a header of the client would stay beside ours"
        header = read(option[1][0])
        headers[header[1][0].decode()] = header[3][0].decode()
    return headers, [name.decode() for name in found.get(2, [])]


class Picker(Session):
    """A picker with a router, and a gateway with one connection to it; streams are numbered from 1 on."""

    def __init__(self, router: Any, **context: Any) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.metrics = Metrics(routing_catalogue.ALL)
        observed = RoutingMetrics(self.metrics)
        self.desk = LocalDesk(router, observed, DecisionRecords(Records(every=0)), self.loop)
        self.context = Context(self.desk, observed, **context)
        self.opened = 0

    def _open(self, stream: Any, head: Any) -> ProcessingStream:
        return ProcessingStream(stream, self.context)

    def close(self) -> None:
        self.desk.close()
        self.loop.close()

    def stream(self) -> int:
        """Open a stream; its number."""
        self.opened += 1
        number = 2 * self.opened - 1
        assert self.say(raw("HEADERS", size_update(0) + block(*REQUEST), number, END_HEADERS)) == []
        return number

    def tell(self, number: int, *messages: bytes) -> list[Reply]:
        """Send messages on a stream; the replies of all streams."""
        return self.replies(self.send(number, *messages))

    def send(self, number: int, *messages: bytes) -> Any:
        """Send messages on a stream; the frames of all streams."""
        pieces = [struct.pack(">BI", 0, len(each)) + each for each in messages]
        return self.say(*(data(piece, number) for piece in _cut(pieces)))

    def replies(self, frames: Any = None) -> list[Reply]:
        """The messages in what was sent; WINDOW_UPDATEs of ours are let pass."""
        bodies: dict[int, bytes] = {}
        for each in self.output() if frames is None else frames:
            if each.kind == "DATA":
                bodies[each.stream] = bodies.get(each.stream, b"") + each.payload
        return [Reply(content) for content in bodies.values() for content in _messages(content)]

    def statuses(self, frames: Any) -> list[int]:
        """How streams ended in what was sent."""
        return [
            int(dict(decoded(each.payload))[b"grpc-status"])
            for each in frames
            if each.kind == "HEADERS" and each.flags & 1
        ]

    def reset(self, number: int) -> None:
        self.say(reset(number))


def _cut(pieces: list[bytes]) -> list[bytes]:
    return [piece[at : at + 16_384] for piece in pieces for at in range(0, len(piece), 16_384)]


def _messages(content: bytes) -> list[bytes]:
    found = []
    while content:
        size = struct.unpack_from(">I", content, 1)[0]
        found.append(content[5 : 5 + size])
        content = content[5 + size :]
    return found


# messages of a gateway

DESTINATION = "x-gateway-destination-endpoint"
ANSWER_HEADERS = http_headers({":status": "200", "content-type": "application/json"})
USAGE = b'{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}'


def head(modes, headers=None, *, ends=False, metadata=None):
    return message("request_headers", http_headers(headers or HEADERS, ends=ends), modes=modes, metadata=metadata)


def piece(content=BODY, *, ends=True):
    return message("request_body", body(content, ends=ends))


def answer_head(status=200, *, ends=False, served=None):
    metadata = {"envoy.lb": {"x-gateway-destination-endpoint-served": served}} if served else None
    return message("response_headers", http_headers({":status": str(status)}, ends=ends), metadata=metadata)


def answer_piece(content=USAGE, *, ends=True):
    return message("response_body", body(content, ends=ends))


def kinds(replies):
    return [each.kind for each in replies]

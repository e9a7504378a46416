"""Frames as a peer writes and reads them, without a line of the code under test; and a server to send them to."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import hpack

from bayplan.gateway.http2.connection import Connection
from bayplan.gateway.http2.limits import Limits

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
KINDS = {
    "DATA": 0, "HEADERS": 1, "PRIORITY": 2, "RST_STREAM": 3, "SETTINGS": 4, "PUSH_PROMISE": 5, "PING": 6, "GOAWAY": 7,
    "WINDOW_UPDATE": 8, "CONTINUATION": 9,
}  # fmt: skip
NAMES = {number: name for name, number in KINDS.items()}
REASONS = (
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
)  # fmt: skip
REQUEST = (
    (":method", "POST"), (":scheme", "http"), (":path", "/echo"), (":authority", "here"),
)  # fmt: skip
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20


class Frame(NamedTuple):
    kind: str
    flags: int
    stream: int
    payload: bytes

    @property
    def number(self) -> int:
        """The payload of a WINDOW_UPDATE or a RST_STREAM."""
        return struct.unpack(">I", self.payload)[0]


def raw(kind: str | int, payload: bytes = b"", stream: int = 0, flags: int = 0, size: int | None = None) -> bytes:
    """A frame; `size` may lie about the payload."""
    number = KINDS[kind] if isinstance(kind, str) else kind
    return (
        struct.pack(">I", len(payload) if size is None else size)[1:]
        + struct.pack(">BBI", number, flags, stream)
        + payload
    )


def block(*headers: tuple[str, str]) -> bytes:
    """Headers without Huffman codes and without a table."""
    found = b""
    for name, value in headers:
        found += b"\x00" + bytes((len(name),)) + name.encode("latin-1") + bytes((len(value),)) + value.encode("latin-1")
    return found


def headers(stream: int = 1, *more: tuple[str, str], flags: int = END_HEADERS, of: Any = REQUEST) -> bytes:
    return raw("HEADERS", block(*of, *more), stream, flags)


def data(content: bytes = b"hello", stream: int = 1, flags: int = 0) -> bytes:
    return raw("DATA", content, stream, flags)


def settings(*pairs: tuple[int, int], flags: int = 0, stream: int = 0) -> bytes:
    return raw("SETTINGS", b"".join(struct.pack(">HI", *each) for each in pairs), stream, flags)


def window(more: int, stream: int = 0) -> bytes:
    return raw("WINDOW_UPDATE", struct.pack(">I", more), stream)


def reset(stream: int = 1, reason: int = 8) -> bytes:
    return raw("RST_STREAM", struct.pack(">I", reason), stream)


def split(output: bytes) -> list[Frame]:
    """The frames in what a server sent."""
    found = []
    while output:
        size = int.from_bytes(output[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", output[3:9])
        found.append(Frame(NAMES[kind], flags, stream, output[9 : 9 + size]))
        output = output[9 + size :]
    return found


@dataclass
class Recorder:
    """A handler that writes down what it hears; `echo` sends data back, and ends when its peer does."""

    stream: Any
    head: Any
    echo: bool = False
    heard: list[Any] = field(default_factory=list)

    def data(self, data: bytes) -> None:
        self.heard.append(data)
        if self.echo:
            self.answer(data)

    def end(self) -> None:
        self.heard.append("end")
        if self.echo:
            self.stream.end(block(*((":status", "200"),) * (not self.stream.is_answered), ("grpc-status", "0")))

    def lost(self) -> None:
        self.heard.append("lost")

    def answer(self, data: bytes) -> None:
        if not self.stream.is_answered:
            self.stream.send_headers(block((":status", "200")))
        self.stream.send_data(data)


class Session:
    """A server, and a peer that has shaken hands with it unless told otherwise."""

    def __init__(self, *, echo: bool = False, greet: bool = True, **limits: Any) -> None:
        self.calls: list[Recorder] = []
        self._echo = echo
        self.connection = Connection(self._open, Limits(**limits))
        self.now = 0.0
        self.greeting = split(self.connection.outbox.take())
        if greet:
            assert [each.kind for each in self.say(PREFACE, settings(), settings(flags=ACK))] == ["SETTINGS"]

    def _open(self, stream: Any, head: Any) -> Recorder:
        self.calls.append(Recorder(stream, head, self._echo))
        return self.calls[-1]

    def say(self, *pieces: bytes) -> list[Frame]:
        """Send all of it as one piece; what the server answers."""
        self.connection.receive(b"".join(pieces), self.now)
        return self.output()

    def output(self) -> list[Frame]:
        return split(self.connection.outbox.take())

    def verdict(self, *pieces: bytes) -> str:
        """What became of it: `REASON` of a GOAWAY, `stream N: REASON` of resets, or `fine`."""
        found = [_told(each) for each in self.say(*pieces)]
        told = [each for each in found if each]
        assert self.connection.is_closed == any(not each.startswith("stream") for each in told)
        return ", ".join(told) or "fine"


def _told(frame: Frame) -> str:
    if frame.kind == "GOAWAY":
        return REASONS[int.from_bytes(frame.payload[4:8], "big")]
    if frame.kind == "RST_STREAM":
        return f"stream {frame.stream}: {REASONS[frame.number]}"
    return ""


def size_update(size: int) -> bytes:
    """The beginning of a block that sets the size of the table, below 31 bytes."""
    return bytes((0x20 | size,))


def decoded(payload: bytes) -> list[tuple[bytes, bytes]]:
    return [tuple(each) for each in hpack.Decoder().decode(payload, raw=True)]

"""Requests as they were read, and answers as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
JSON: Final = "application/json"
TEXT: Final = "text/plain; charset=utf-8"
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK: Final = b"0\r\n\r\n"


@dataclass(slots=True)
class Request:
    """One request, whole; `path` is without its query."""

    method: str
    path: str
    headers: dict[bytes, bytes]
    body: bytes
    keeps_alive: bool
    is_chunkable: bool  # HTTP/1.1: an answer may come in chunks


def head(status: int, content_type: str, *, length: int | None, keeps_alive: bool, extra: str = "") -> bytes:
    """The head of an answer; without a length it comes in chunks."""
    size = "transfer-encoding: chunked" if length is None else f"content-length: {length}"
    close = "" if keeps_alive else "connection: close\r\n"
    lines = f"HTTP/1.1 {status} {REASONS[status]}\r\ncontent-type: {content_type}\r\n{size}\r\n{close}{extra}\r\n"
    return lines.encode()


def chunk(data: bytes) -> bytes:
    """Data as one chunk of an answer."""
    return b"%x\r\n%b\r\n" % (len(data), data)

"""The head of an engine's answer: how its body is framed, and the lines that a client gets to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CHUNKED: Final = -1
"""As a length: the body comes in chunks."""
UNTIL_CLOSE: Final = -2
"""As a length: the body ends with the connection."""

_HOP: Final = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"te", b"trailer", b"upgrade")
)
"""Headers that concern the connection to the engine alone."""
_FRAMING: Final = frozenset((b"content-length", b"transfer-encoding"))
_SPECIAL: Final = _HOP | _FRAMING | {b"content-type", b"x-request-id"}
_SPACE: Final = 32  # what is not above it has no place at the ends of a name
_STATUSES: Final = {b"%d" % status: status for status in range(100, 1000)}
_LONGEST_LENGTH: Final = 18  # digits: no body is larger, and no number overflows


class HeadError(Exception):
    """The bytes are no head of an answer."""


@dataclass(slots=True)
class ResponseHead:
    """What was read of a head; `lines` are those that a client gets, without the status line."""

    status: int
    status_line: bytes
    lines: list[bytes]
    length: int
    keeps_alive: bool
    is_stream: bool
    has_request_id: bool


def read_response_head(head: bytes, *, is_head_request: bool = False) -> ResponseHead:
    """Read a head that ends before its empty line. What two readers could take in two ways is refused."""
    lines = head.split(b"\r\n")
    found = _status(lines.pop(0))
    inside = head.replace(b"\r\n", b"")
    if b"\n" in inside or b"\r" in inside or b"\x00" in inside:
        raise HeadError("a header has a line end in it")
    special: dict[bytes, bytes] = {}
    kept = found.lines
    for line in lines:
        name, colon, value = line.partition(b":")
        lower = name.lower()
        if not colon or not name or name[-1] <= _SPACE or name[0] <= _SPACE:
            raise HeadError("a line is no header")
        if lower in _SPECIAL and _noted(found, special, lower, value):
            continue
        kept.append(line)
    if special:
        _frame(found, special)
    if is_head_request or found.status < 200 or found.status in (204, 304):
        found.length = 0
    return found


def _status(line: bytes) -> ResponseHead:
    status = _STATUSES.get(line[9:12])
    is_new = line.startswith(b"HTTP/1.1 ")
    if status is None or not (is_new or line.startswith(b"HTTP/1.0 ")) or line[12:13] not in (b" ", b""):
        raise HeadError("the answer does not begin with a status of HTTP/1")
    return ResponseHead(status, line, [], UNTIL_CLOSE, is_new, is_stream=False, has_request_id=False)


def _noted(found: ResponseHead, special: dict[bytes, bytes], name: bytes, value: bytes) -> bool:
    """Note a header that means something to the relay; whether it is for the relay alone."""
    if name == b"content-type":
        found.is_stream = b"text/event-stream" in value
    elif name == b"x-request-id":
        found.has_request_id = True
    elif name in special:
        raise HeadError(f"{name.decode()} is there twice")
    else:
        special[name] = value.strip()
    return name in _HOP


def _frame(found: ResponseHead, special: dict[bytes, bytes]) -> None:
    coding = special.get(b"transfer-encoding")
    length = special.get(b"content-length")
    if coding is not None:
        if length is not None:
            raise HeadError("it has both content-length and transfer-encoding")
        if coding.lower() != b"chunked":
            raise HeadError("its transfer-encoding is not chunked")
        found.length = CHUNKED
    elif length is not None:
        if not length.isdigit() or len(length) > _LONGEST_LENGTH:
            raise HeadError("its content-length is no number")
        found.length = int(length)
    connection = special.get(b"connection")
    if connection is not None:
        _connection(found, connection.lower())


def _connection(found: ResponseHead, connection: bytes) -> None:
    if connection == b"keep-alive":
        return
    names = {each.strip() for each in connection.split(b",")}
    found.keeps_alive = found.keeps_alive and b"close" not in names
    named = names - {b"close", b"keep-alive"} - _FRAMING
    if named:
        found.lines = [line for line in found.lines if line.partition(b":")[0].lower() not in named]

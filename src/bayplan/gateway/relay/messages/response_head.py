"""The head of an engine's answer: how its body is framed, and what a client gets to see of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

CHUNKED: Final = -1
"""As a length: the body comes in chunks."""
UNTIL_CLOSE: Final = -2
"""As a length: the body ends with the connection."""

_SHAPE: Final = re.compile(
    rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n\x00]*+)?+(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]++:[^\r\n\x00]*+)*+"
)
"""A status line and headers. Nothing else matches: no folded line, no space before a colon, no lone line end."""
_HOP: Final = (b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"te", b"trailer", b"upgrade")
"""Headers that concern the connection to the engine alone."""
_FRAMING: Final = (b"content-length", b"transfer-encoding")
_HOP_MARK: Final = re.compile(rb"\r\n(?:%b):" % b"|".join(_HOP))
_LENGTHS: Final = (b"\r\nContent-Length: ", b"\r\ncontent-length: ")
"""How engines write it, which is the line that differs from answer to answer."""
_LENGTH_BYTES: Final = len(_LENGTHS[0])
_KEPT_HEADS: Final = 4_096  # dates alone would fill the memory
_LONGEST_HEAD: Final = 2_048
_EMPTY: Final = (204, 304)  # statuses of answers without a body
_LONGEST_LENGTH: Final = 18  # digits: no body is larger, and no number overflows


class HeadError(Exception):
    """The bytes are no head of an answer."""


@dataclass(slots=True)
class ResponseHead:
    """What was read of a head; `text` is what a client gets: the status line and headers, without the last line end."""

    status: int
    text: bytes
    length: int
    keeps_alive: bool
    is_stream: bool
    has_request_id: bool

    def reframe(self, line: bytes) -> None:
        """Tell of another framing than the engine's, or of none."""
        self.text = _without(self.text, _FRAMING) + line


class _Known(NamedTuple):
    """A head that was in order. `before` and `after` are what a client gets to see around the length, if it has one."""

    before: bytes
    after: bytes
    status: int
    length: int | None
    """None: the line that was left out tells."""
    keeps_alive: bool
    is_stream: bool


_known: dict[tuple[bytes, bytes | None], _Known] = {}
"""By the parts of a head before and behind its length (None: it has none that is written as usual).

Engines send the same few heads, but for a date and a length.
"""


def read_response_head(head: bytes, *, is_head_request: bool = False) -> ResponseHead:
    """Read a head that ends before its empty line. What two readers could take in two ways is refused."""
    begin = head.find(_LENGTHS[0])
    if begin < 0:
        begin = head.find(_LENGTHS[1])
    key: tuple[bytes, bytes | None] = (head, None)
    line = b""
    if begin >= 0:
        stop = head.find(b"\r\n", begin + _LENGTH_BYTES)
        if stop < 0:
            stop = len(head)
        key, line = (head[:begin], head[stop:]), head[begin:stop]
    known = _known.get(key)
    if known is None:
        found = _read(head)
        if not found.has_request_id and len(head) <= _LONGEST_HEAD:  # no other answer has this id
            _learn(key, line, found)
    else:
        before, after, status, length, keeps_alive, is_stream = known
        if length is None:
            length = _number(line[_LENGTH_BYTES:].strip(b" \t"))
        found = ResponseHead(status, before + line + after, length, keeps_alive, is_stream, False)
    if is_head_request or found.status < 200 or found.status in _EMPTY:
        found.length = 0
    return found


def _learn(key: tuple[bytes, bytes | None], line: bytes, found: ResponseHead) -> None:
    """Remember a head that is in order, so that the next one like it need not be read."""
    before, _, after = found.text.partition(line) if line else (found.text, b"", b"")
    if len(_known) >= _KEPT_HEADS:
        _known.clear()
    length = None if line else found.length
    _known[key] = _Known(before, after, found.status, length, found.keeps_alive, found.is_stream)


def _read(head: bytes) -> ResponseHead:
    shape = _SHAPE.fullmatch(head)
    if shape is None:
        raise HeadError("the answer does not begin with a head of HTTP/1")
    status = int(shape[1])
    is_new = head.startswith(b"HTTP/1.1")
    lower = head.lower()
    kind = _value(lower, b"\r\ncontent-type:")
    found = ResponseHead(
        status,
        head if is_new else b"HTTP/1.1" + head[8:],
        _length(lower),
        is_new,
        kind is not None and b"text/event-stream" in kind,
        b"\r\nx-request-id:" in lower,
    )
    if _HOP_MARK.search(lower):
        _drop_hops(found, lower)
    return found


def _value(lower: bytes, mark: bytes) -> bytes | None:
    """What a header says, in lower case; None where it is not there."""
    begin = lower.find(mark)
    if begin < 0:
        return None
    begin += len(mark)
    end = lower.find(b"\r\n", begin)
    if lower.find(mark, begin) >= 0:
        raise HeadError(f"{mark[2:-1].decode()} is there twice")
    return (lower[begin:] if end < 0 else lower[begin:end]).strip()


def _length(lower: bytes) -> int:
    coding, length = _value(lower, b"\r\ntransfer-encoding:"), _value(lower, b"\r\ncontent-length:")
    if coding is not None:
        if length is not None:
            raise HeadError("it has both content-length and transfer-encoding")
        if coding != b"chunked":
            raise HeadError("its transfer-encoding is not chunked")
        return CHUNKED
    if length is None:
        return UNTIL_CLOSE
    return _number(length)


def _number(length: bytes) -> int:
    if not length.isdigit() or len(length) > _LONGEST_LENGTH:
        raise HeadError("its content-length is no number")
    return int(length)


def _drop_hops(found: ResponseHead, lower: bytes) -> None:
    """Take away what is not for clients, and what `connection` names."""
    connection = _value(lower, b"\r\nconnection:") or b""
    names = {each.strip() for each in connection.split(b",")}
    found.keeps_alive = found.keeps_alive and b"close" not in names
    found.text = _without(found.text, (*_HOP, *(names - {b"", b"close", *_FRAMING})))


def _without(text: bytes, names: tuple[bytes, ...]) -> bytes:
    status_line, *lines = text.split(b"\r\n")
    kept = [each for each in lines if each[: each.find(b":")].lower() not in names]
    return b"\r\n".join((status_line, *kept))

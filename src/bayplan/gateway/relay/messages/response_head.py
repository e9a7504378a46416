"""The head of an engine's answer: how its body is framed, and what a client gets to see of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

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
_TELLING: Final = frozenset((*_HOP, *_FRAMING, b"content-type", b"x-request-id"))
_PLAIN_CONNECTIONS: Final = frozenset((b"keep-alive", b"close"))
_NEW: Final = b"HTTP/1.1 "
_KEPT_HEADS: Final = 4_096
_LONGEST_LINE: Final = 256
_plain: set[bytes] = set()
"""Lines of heads that were in order which say nothing about the body or the connection; they may stand in any head."""
_known: dict[tuple[bytes, ...], tuple[int, int, bool, bool, bool, frozenset[bytes]]] = {}
"""By the other lines of a head what was read of them, with the lines that a client does not get to see."""
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


def read_response_head(head: bytes, *, is_head_request: bool = False) -> ResponseHead:
    """Read a head that ends before its empty line. What two readers could take in two ways is refused."""
    lines = head.split(b"\r\n")
    telling = tuple([line for line in lines if line not in _plain])
    known = _known.get(telling) if head.startswith(_NEW) else None
    if known is None:
        found = _read(head)
        _learn(lines, telling, found)
    else:
        status, length, keeps_alive, is_stream, has_request_id, dropped = known
        text = b"\r\n".join([line for line in lines if line not in dropped]) if dropped else head
        found = ResponseHead(status, text, length, keeps_alive, is_stream, has_request_id)
    if is_head_request or found.status < 200 or found.status in (204, 304):
        found.length = 0
    return found


def _learn(lines: list[bytes], telling: tuple[bytes, ...], found: ResponseHead) -> None:
    """Remember a head that is in order, so that the next one with these lines need not be read.

    Engines send the same few lines with every answer, but for a date and a length. Lines that tell nothing are
    remembered one by one, the others of a head together.
    """
    named = [(line[: line.find(b":")].lower(), line) for line in lines[1:]]
    connections = [line[len(name) + 1 :].strip().lower() for name, line in named if name == b"connection"]
    if not lines[0].startswith(_NEW) or not _PLAIN_CONNECTIONS.issuperset(connections):
        return  # an old version, or a `connection` that names other headers
    if found.has_request_id or max(map(len, lines)) > _LONGEST_LINE:
        return  # no other answer has this id
    plain = {line for name, line in named if name not in _TELLING}
    kept = set(found.text.split(b"\r\n"))
    dropped = frozenset(line for line in lines if line not in kept)
    if len(_plain) >= _KEPT_HEADS or len(_known) >= _KEPT_HEADS:  # dates alone would fill the memory
        _plain.clear()
        _known.clear()
    _plain.update(plain)
    _known[tuple([line for line in telling if line not in plain])] = (
        found.status, found.length, found.keeps_alive, found.is_stream, found.has_request_id, dropped,
    )  # fmt: skip


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

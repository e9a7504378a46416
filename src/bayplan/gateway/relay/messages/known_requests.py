"""Heads that clients send again and again: those that were read once are not parsed again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bayplan.gateway.relay.messages.request import Request

if TYPE_CHECKING:
    from bayplan.gateway.relay.settings import Limits

_SHAPE: Final = re.compile(rb"POST (/[!\"$-~]*) HTTP/1\.1((?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]++:[\t -~\x80-\xff]*+)*+)")
"""Nothing else matches: no folded line, no space before a colon, no lone line end, no control character."""
_LENGTHS: Final = (b"\r\nContent-Length: ", b"\r\ncontent-length: ")
"""How clients write it, which is the one line that differs from request to request."""
_LENGTH_BYTES: Final = len(_LENGTHS[0])
_UNUSUAL: Final = ("content-length", "transfer-encoding", "upgrade", "expect", "trailer", "te")
"""Headers that say how the message is framed, or what else is spoken: the parser reads heads with them."""
_END: Final = b"\r\n\r\n"
_LONGEST_HEAD: Final = 2_048
_MOST_BODY: Final = 64 * 1024  # longer bodies come in several pieces
_KEPT: Final = 1_024  # heads, so that hostile clients fill at most a few MiB


class KnownRequests:
    """Finds requests that came whole and whose head, but for the length, was seen before or can be read at a glance.

    Everything else, whatever is unusual about it, is left to the parser.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._most_body = min(_MOST_BODY, limits.body_bytes)
        self._known: dict[bytes, Request | None] = {}

    def find(self, data: bytes) -> tuple[Request, bytes] | None:
        """The one request that these bytes are, with its body; None: ask the parser."""
        end = data.find(_END, 0, _LONGEST_HEAD)
        begin = data.find(_LENGTHS[0], 0, end)
        if begin < 0:
            begin = data.find(_LENGTHS[1], 0, end)
        if begin < 0 or end < 0:
            return None
        stop = data.find(b"\r\n", begin + _LENGTH_BYTES, end + 2)
        key = data[:begin] + data[stop:end]
        try:
            request = self._known[key]
        except KeyError:
            request = self._learn(key)
        digits = data[begin + _LENGTH_BYTES : stop]
        if request is None or not digits.isdigit():
            return None
        size = len(data) - end - 4
        return (request, data[end + 4 :]) if 0 < size <= self._most_body and int(digits) == size else None

    def _learn(self, head: bytes) -> Request | None:
        request = self._read(head)
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[head] = request
        return request

    def _read(self, head: bytes) -> Request | None:
        """The request that begins so, with a length; None where that is for the parser to say."""
        found = _SHAPE.fullmatch(head)
        if found is None:
            return None
        lines = [line.partition(b":") for line in found[2].split(b"\r\n")[1:]]
        limits = self._limits
        if len(head) > limits.head_bytes or len(lines) >= limits.headers or len(found[1]) > limits.target_bytes:
            return None
        request = Request(b"POST", found[1], [(name, value.strip(b" \t")) for name, _, value in lines], is_plain=True)
        return request if _is_usual(request) else None


def _is_usual(request: Request) -> bool:
    """Whether nothing but a length says how the message ends, and the connection is kept."""
    texts = request.head.texts
    keeps_alive = texts.get("connection", "keep-alive").lower() == "keep-alive"
    return request.head.hosts == 1 and keeps_alive and not any(name in texts for name in _UNUSUAL)

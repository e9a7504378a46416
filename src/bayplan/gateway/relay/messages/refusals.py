"""Answers of the relay itself: refusals as JSON, in the form that OpenAI's clients read."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import orjson

from bayplan.routing.answer import CODES, DROPPED_HEADER

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
JSON: Final = "application/json"

_OWN_CODES: Final = {
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "content-too-large",
    414: "uri-too-long",
    417: "expectation-failed",
    431: "headers-too-large",
    501: "not-implemented",
    502: "bad-gateway",
    504: "gateway-timeout",
    505: "version-not-supported",
}
_LATER: Final = (429, 503)
"""What may go well a little later."""
_LONGEST_MESSAGE: Final = 2_000


class RefusalError(Exception):
    """A request that the relay does not pass on."""

    def __init__(self, status: int, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reason = reason


def code_of(status: int) -> str:
    """The status as a word."""
    return CODES.get(status) or _OWN_CODES.get(status, "error")


def refusal_body(refusal: RefusalError) -> bytes:
    """`{"error": {"message", "type", "code", "reason", "param"}}`."""
    error = {
        "message": refusal.message[:_LONGEST_MESSAGE],
        "type": code_of(refusal.status),
        "code": refusal.status,
        "reason": refusal.reason,
        "param": None,
    }
    return orjson.dumps({"error": error})


def refusal_headers(refusal: RefusalError) -> str:
    """Header lines beside those of every answer."""
    reason = f"{DROPPED_HEADER}: {refusal.reason}\r\n" if refusal.reason else ""
    return f"{reason}retry-after: 1\r\n" if refusal.status in _LATER else reason


def whole_answer(
    status: int, body: bytes, *, keeps_alive: bool, content_type: str = JSON, more: str = "", is_head: bool = False
) -> bytes:
    """An answer of the relay; `more` are header lines with their ends."""
    close = "" if keeps_alive else "connection: close\r\n"
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {content_type}\r\n"
        f"content-length: {len(body)}\r\n{more}{close}\r\n"
    ).encode("latin-1", "replace")
    return head if is_head else head + body

"""An HTTP answer as it comes in, piece by piece, within limits; it does no I/O."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import httptools

MOST_HEAD_BYTES: Final = 64 * 1024
"""Of the head of an answer: what other clients allow."""
_OK: Final = 200  # statuses below it announce another answer
_PLAIN: Final = (b"", b"identity")


class FetchProblem(StrEnum):
    """Why there is no body."""

    UNREACHABLE = "unreachable"
    """No connection, or it broke before the answer began."""
    TIMEOUT = "timeout"
    """The whole answer was not there in time."""
    STATUS = "status"
    """Another status than 200: it lives, and has nothing for us."""
    TOO_LARGE = "too-large"
    BROKEN = "broken"
    """No HTTP, or an answer that ended too early."""


class HttpAnswer:
    """One answer: `is_over` when it is whole or refused; then `problem` says what is wrong, None for nothing.

    `is_kept`: the connection may be used again. Redirects are answers like others, and are not followed.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._parser = httptools.HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._status = self._head_bytes = self._body_bytes = 0
        self._encoding = b""
        self._has_head = self._is_complete = self._is_excessive = False
        self._ends_with_connection = True
        self.has_begun = self.is_over = False
        self.is_kept = True
        self.problem: FetchProblem | None = None
        self.detail = ""

    @property
    def body(self) -> bytes:
        """All of it; empty where there is a problem."""
        if self.problem is not None:
            return b""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def feed(self, data: bytes) -> None:
        """More bytes of the connection."""
        self.has_begun = True
        if not self._has_head:
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.is_kept = False
            if not self._is_complete:
                self._refuse(FetchProblem.BROKEN, f"no HTTP: {error}")
                return
        if self._is_excessive:
            self._refuse(FetchProblem.TOO_LARGE, f"more than {self._most_bytes} bytes")
        elif not self._has_head and self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(FetchProblem.BROKEN, f"a head of more than {MOST_HEAD_BYTES} bytes")
        elif self._encoding not in _PLAIN:
            self._refuse(FetchProblem.BROKEN, f"content-encoding {self._encoding[:40].decode('latin-1')}")
        elif self._is_complete:
            self._end()

    def end(self, *, is_clean: bool) -> None:
        """The connection has ended; `is_clean`: the other side closed it."""
        self.is_kept = False
        if self.is_over:
            return
        if self._has_head and self._ends_with_connection and is_clean:
            self._end()
        elif self.has_begun:
            self._refuse(FetchProblem.BROKEN, "the connection ended inside the answer")
        else:
            self._refuse(FetchProblem.UNREACHABLE, "the connection ended before an answer")

    def _end(self) -> None:
        self.is_over = True
        if self._status != _OK:
            self.problem, self.detail = FetchProblem.STATUS, f"HTTP {self._status}"

    def _refuse(self, problem: FetchProblem, detail: str) -> None:
        self.is_over, self.is_kept = True, False
        self.problem, self.detail = problem, detail
        self._pieces.clear()

    # what the parser says; exceptions must not leave these methods

    def on_message_begin(self) -> None:
        if self._is_complete:
            self.is_kept = False  # more than one answer to one question

    def on_header(self, name: bytes, value: bytes) -> None:
        word = name.lower()
        if word == b"content-length":
            self._ends_with_connection = False
            self._is_excessive = len(value) > 18 or (value.isdigit() and int(value) > self._most_bytes)
        elif word == b"transfer-encoding":
            self._ends_with_connection = False
        elif word == b"content-encoding":
            self._encoding = value.strip().lower()

    def on_headers_complete(self) -> None:
        self._has_head = True
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        if self._is_complete:
            return
        self._body_bytes += len(body)
        if self._body_bytes > self._most_bytes:
            self._is_excessive = True
        else:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        if self._status < _OK:
            self._has_head = False  # 100 Continue and the like
        elif not self._is_complete:
            self._is_complete = True
            self.is_kept = self.is_kept and self._parser.should_keep_alive()

"""One answer on its way to a client: kept until it is whole, or streamed token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.sim.engine.http.messages import JSON, LAST_CHUNK, chunk, head
from bayplan.sim.engine.tokens import WORDS, word

if TYPE_CHECKING:
    from bayplan.sim.engine.batching.sequence import Sequence
    from bayplan.sim.engine.http.connection import Connection
    from bayplan.sim.engine.http.messages import Request
    from bayplan.sim.engine.openai.answers import Answer

_MOST_AT_ONCE: Final = 64  # tokens of one write, so that a slow reader stops the stream before much is buffered


class Generation:
    """Writes the tokens of a sequence to a connection as the engine produces them.

    Tokens for a client that does not read are not made: they are written when it reads again.
    """

    __slots__ = (
        "_after",
        "_answer",
        "_before",
        "_connection",
        "_cut_after",
        "_is_chunked",
        "_is_finished",
        "_keeps_alive",
        "_made",
        "_sent",
        "is_stream",
        "reason",
        "sequence",
    )

    def __init__(
        self, connection: Connection, request: Request, answer: Answer, sequence: Sequence, cut_after: int | None
    ) -> None:
        self.sequence = sequence
        self.is_stream = answer.asked.is_stream
        self.reason = answer.asked.reason
        self._answer = answer
        self._connection = connection
        self._keeps_alive = request.keeps_alive and (request.is_chunkable or not self.is_stream)
        self._is_chunked = request.is_chunkable
        self._cut_after = cut_after
        self._made = self._sent = 0
        self._is_finished = False
        self._before = self._after = b""

    def open(self) -> None:
        """Send the head of a stream, as engines do before the first token."""
        if not self.is_stream:
            return
        before, after = self._answer.token_frame()
        if self._is_chunked:
            size = len(before) + len(after) + len(WORDS[0])
            before, after = b"%x\r\n%b" % (size, before), after + b"\r\n"
        self._before, self._after = before, after
        self._connection.write(
            head(200, "text/event-stream; charset=utf-8", length=None, keeps_alive=self._keeps_alive)
            if self._is_chunked
            else b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n"
        )

    def deliver(self, tokens: int) -> None:
        """Write what is new."""
        self._made = tokens
        self.flush()

    def finish(self) -> None:
        """Write the rest and the end, or the whole."""
        self._is_finished = True
        self._made = self._answer.asked.output_tokens
        if self.is_stream:
            self.flush()
            return
        if self._is_cut(self._made):
            return
        body = self._answer.whole(self.sequence.cached_tokens)
        keeps_alive = self._keeps_alive and not self._connection.is_last
        self._connection.write(head(200, JSON, length=len(body), keeps_alive=keeps_alive) + body)
        self._connection.finish(keeps_alive=keeps_alive)

    def flush(self) -> None:
        """Write as much as the client takes; called again when it takes more."""
        connection, first = self._connection, self._answer.first_word
        while self._sent < self._made and not connection.is_full:
            end = min(self._made, self._sent + _MOST_AT_ONCE)
            if self._is_cut(end):
                return
            opening = b"" if self._sent else self._framed(self._answer.opening())
            pieces = [self._before + word(first, index) + self._after for index in range(self._sent, end)]
            self._sent = end
            connection.write(opening + b"".join(pieces))
        if self._is_finished and self._sent == self._made and not connection.is_full:
            ending = self._framed(self._answer.ending(self.sequence.cached_tokens))
            connection.write(ending + LAST_CHUNK if self._is_chunked else ending)
            connection.finish(keeps_alive=self._keeps_alive)

    def _framed(self, data: bytes) -> bytes:
        return chunk(data) if data and self._is_chunked else data

    def _is_cut(self, tokens: int) -> bool:
        """Whether the fault that cuts answers has struck; the connection is gone then."""
        if self._cut_after is None or tokens < self._cut_after:
            return False
        self._connection.cut()
        return True

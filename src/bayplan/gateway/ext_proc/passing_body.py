"""The body of an answer while it passes: the tokens that the engine counted, and the model's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.gateway.ext_proc.body_mode import BodyMode
from bayplan.gateway.relay.messages.model_name import ModelName
from bayplan.gateway.relay.messages.usage import TAIL_BYTES, usage_of

if TYPE_CHECKING:
    from bayplan.gateway.relay.messages.usage import Usage
    from bayplan.routing.answer import Answer


class PassingBody:
    """Pieces go through unchanged, unless the model was renamed and the gateway lets pieces have other lengths."""

    __slots__ = ("_model", "_tail", "has_ended", "seen_bytes")

    def __init__(self, answer: Answer, mode: BodyMode) -> None:
        self.seen_bytes = 0
        self.has_ended = False
        self._tail = b""
        asked, sent = answer.request.asked_model, answer.request.model
        self._model: ModelName | None = None
        if asked and sent and asked != sent and mode in (BodyMode.STREAMED, BodyMode.FULL_DUPLEX_STREAMED):
            self._model = ModelName(sent, asked, is_stream=answer.request.stream)

    def piece(self, data: bytes, *, ends: bool) -> bytes:
        """What goes on in place of this piece."""
        self.seen_bytes += len(data)
        if data:
            self._tail = data[-TAIL_BYTES:] if len(data) >= TAIL_BYTES else (self._tail + data)[-TAIL_BYTES:]
        if self._model is not None:
            data = self._model.piece(data)
        return data + self.end() if ends else data

    def end(self) -> bytes:
        """The answer is complete: what was kept back of it."""
        self.has_ended = True
        return b"" if self._model is None else self._model.end()

    def usage(self) -> Usage:
        """Tokens as the engine counted them; None where it did not say."""
        return usage_of(self._tail)

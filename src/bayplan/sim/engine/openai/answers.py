"""The documents that an engine answers with: whole, and in pieces as they are streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.sim.engine.tokens import BYTES_PER_TOKEN, answer

if TYPE_CHECKING:
    from bayplan.sim.engine.openai.asked import Asked

DONE: Final = b"data: [DONE]\n\n"
_MARK: Final = b"@" * BYTES_PER_TOKEN  # as long as any token


class Answer:
    """The answer to one request: who gave it when, and its words."""

    __slots__ = ("asked", "first_word", "head")

    def __init__(self, asked: Asked, model: str, identity: str, created: int, first_word: int) -> None:
        self.asked = asked
        self.first_word = first_word
        prefix = "chatcmpl-" if asked.is_chat else "cmpl-"
        self.head = {"id": prefix + identity, "created": created, "model": model}

    def whole(self, cached_tokens: int) -> bytes:
        """The answer as one document."""
        text = answer(self.first_word, 0, self.asked.output_tokens).decode()
        if self.asked.is_chat:
            choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
            kind = "chat.completion"
        else:
            choice = {"text": text}
            kind = "text_completion"
        choices = [{"index": 0, **choice, "logprobs": None, "finish_reason": self.asked.reason}]
        return orjson.dumps({**self.head, "object": kind, "choices": choices, "usage": self._usage(cached_tokens)})

    def token_frame(self) -> tuple[bytes, bytes]:
        """What stands before and after a token in the event that streams it."""
        before, _, after = self._event({"content": _MARK.decode()}, _MARK.decode(), None).rpartition(_MARK)
        return before, after

    def opening(self) -> bytes:
        """The event before the first token: a chat says who speaks."""
        return self._event({"role": "assistant", "content": ""}, "", None) if self.asked.is_chat else b""

    def ending(self, cached_tokens: int) -> bytes:
        """The events after the last token."""
        last = self._event({}, "", self.asked.reason)
        if not self.asked.has_usage:
            return last + DONE
        usage = {**self.head, "object": self._kind, "choices": [], "usage": self._usage(cached_tokens)}
        return last + b"data: " + orjson.dumps(usage) + b"\n\n" + DONE

    @property
    def _kind(self) -> str:
        return "chat.completion.chunk" if self.asked.is_chat else "text_completion"

    def _event(self, delta: dict[str, str], text: str, reason: str | None) -> bytes:
        content: dict[str, Any] = {"delta": delta} if self.asked.is_chat else {"text": text}
        choices = [{"index": 0, **content, "logprobs": None, "finish_reason": reason}]
        return b"data: " + orjson.dumps({**self.head, "object": self._kind, "choices": choices}) + b"\n\n"

    def _usage(self, cached_tokens: int) -> dict[str, Any]:
        prompt, output = self.asked.prompt_tokens, self.asked.output_tokens
        return {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
        }


def model_cards(names: tuple[str, ...], root: str, adapters: dict[str, str], tokens: int, created: int) -> bytes:
    """The list of models: the names of the base model, then its adapters."""
    common = {"object": "model", "created": created, "owned_by": "bayplan"}
    cards: list[dict[str, Any]] = [
        {"id": name, **common, "root": root, "parent": None, "max_model_len": tokens} for name in names
    ]
    cards += [{"id": name, **common, "root": path, "parent": names[0]} for name, path in adapters.items()]
    return orjson.dumps({"object": "list", "data": cards})

"""OpenAI's API: completions, chat, responses, conversations and embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.messages import Conversation, plain_text
from bayplan.routing.requests.parsed_body import ParsedBody, count_of, model_of, needed, salt_of
from bayplan.routing.requests.prompts import prompts_of
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class OpenaiParser:
    """Reads requests of OpenAI's API.

    `/v1/completions` needs `prompt`, `/v1/chat/completions` `messages`, `/v1/responses` `input`, `/v1/conversations`
    `items`, `/v1/embeddings` `input`. A text counts one token for each 4 bytes of UTF-8 that have begun; of messages
    and items the role and the text of the content count.
    """

    name = "openai-parser"
    kinds = (PARSER,)
    paths = ("/v1/completions", "/v1/chat/completions", "/v1/responses", "/v1/conversations", "/v1/embeddings")
    opaque = False
    needs_model = True

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        prompts, media = _READERS[path](body)
        return ParsedBody(
            prompts,
            media,
            model_of(body),
            count_of(body, "max_completion_tokens", "max_tokens", "max_output_tokens"),
            body.get("stream") is True,
            salt_of(body) if "cache_salt" in body else "",
        )


def _completions(body: Mapping[str, Any]) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    return prompts_of(needed(body, "prompt"), "body.prompt"), ()


def _embeddings(body: Mapping[str, Any]) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    return prompts_of(needed(body, "input"), "body.input"), ()


def _chat(body: Mapping[str, Any]) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    text = plain_text(body.get("messages"))
    if text:
        return (Prompt(None, text),), ()
    return _conversation(needed(body, "messages"), "body.messages")


def _conversations(body: Mapping[str, Any]) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    return _conversation(needed(body, "items"), "body.items")


def _responses(body: Mapping[str, Any]) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    return _conversation(needed(body, "input"), "body.input", body.get("instructions"))


def _conversation(value: Any, place: str, before: Any = None) -> tuple[tuple[Prompt, ...], tuple[str, ...]]:
    conversation = Conversation()
    if before is not None:
        conversation.add_content(before)
    if isinstance(value, str):
        conversation.add_content(value)
    else:
        conversation.add_messages(value, place)
    return (Prompt(None, conversation.text),), tuple(conversation.media)


_READERS = {
    "/v1/completions": _completions,
    "/v1/chat/completions": _chat,
    "/v1/responses": _responses,
    "/v1/conversations": _conversations,
    "/v1/embeddings": _embeddings,
}

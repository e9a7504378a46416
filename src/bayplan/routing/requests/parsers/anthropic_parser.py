"""Anthropic's API: messages, and the count of their tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.messages import Conversation
from bayplan.routing.requests.parsed_body import ParsedBody, count_of, model_of, needed, salt_of
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class AnthropicParser:
    """Reads requests of Anthropic's API: `/v1/messages` and `/v1/messages/count_tokens`, which need `messages`.

    The text of `system` comes first, then the role and the text of each message.
    """

    name = "anthropic-parser"
    kinds = (PARSER,)
    paths = ("/v1/messages", "/v1/messages/count_tokens")
    opaque = False
    needs_model = True

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        messages = needed(body, "messages")
        conversation = Conversation()
        conversation.add_content(body.get("system"))
        conversation.add_messages(messages, "body.messages")
        return ParsedBody(
            (Prompt(text=conversation.text),),
            tuple(conversation.media),
            model_of(body),
            count_of(body, "max_tokens"),
            body.get("stream") is True,
            salt_of(body),
        )

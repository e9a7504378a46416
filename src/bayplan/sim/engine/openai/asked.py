"""What a client asks for: the body of a completion or a chat, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.sim.engine.openai.refusals import RefusalError
from bayplan.sim.engine.tokens import LARGEST_ID, count_tokens, text_of

if TYPE_CHECKING:
    from bayplan.sim.engine.settings import Settings

COMPLETION_TOKENS: Final = 16  # of a completion that does not say how many, as OpenAI has it


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. A chat without a limit ends as if the model had ended it, everything else because of its length."""

    model: str | None
    prompt: bytes
    prompt_tokens: int
    output_tokens: int
    reason: str
    is_chat: bool
    is_stream: bool
    has_usage: bool


def read_document(body: bytes) -> dict[str, Any]:
    """A JSON object."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        raise RefusalError(400, f"body: is not JSON: {problem}") from None
    if not isinstance(document, dict):
        raise RefusalError(400, "body: must be a JSON object")
    return document


def read_asked(document: dict[str, Any], settings: Settings, *, is_chat: bool) -> Asked:
    """The request of a document; what the simulation has no use for, such as `temperature`, is not looked at."""
    prompt = read_messages(document) if is_chat else read_prompt(document)
    prompt_tokens = count_tokens(prompt)
    limit = _positive(document, "max_completion_tokens") if is_chat else None
    if limit is None:
        limit = _positive(document, "max_tokens")
    if _integer(document, "n") not in (None, 1):
        raise RefusalError(400, "n: only 1 is simulated", "n")
    is_stream = _flag(document, "stream")
    output_tokens = _output_tokens(prompt_tokens, limit, settings, is_chat=is_chat)
    return Asked(
        model=_text(document, "model"),
        prompt=prompt,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        reason="stop" if limit is None and is_chat else "length",
        is_chat=is_chat,
        is_stream=is_stream,
        has_usage=_has_usage(document, is_stream=is_stream),
    )


def read_prompt(document: dict[str, Any]) -> bytes:
    """The prompt of a completion: a text, a list of token ids, or a list of one of those."""
    prompt = document.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and not isinstance(prompt[0], int):
        prompt = prompt[0]
    if isinstance(prompt, str):
        found = prompt.encode()
    elif isinstance(prompt, list) and prompt and all(type(each) is int for each in prompt):
        if not 0 <= min(prompt) <= max(prompt) <= LARGEST_ID:
            raise RefusalError(400, f"prompt: token ids are between 0 and {LARGEST_ID}", "prompt")
        found = text_of(prompt)
    elif isinstance(prompt, list) and len(prompt) > 1:
        raise RefusalError(400, "prompt: only one prompt a request is simulated", "prompt")
    else:
        raise RefusalError(400, "prompt: must be a text or a list of token ids", "prompt")
    if not found:
        raise RefusalError(400, "prompt: is empty", "prompt")
    return found


def read_messages(document: dict[str, Any]) -> bytes:
    """The prompt of a chat: tools, then each message after its role, so that turns of one chat begin alike."""
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RefusalError(400, "messages: must be a list of at least one message", "messages")
    parts = [orjson.dumps(document["tools"])] if document.get("tools") else []
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise RefusalError(400, f"{place}.role: must be a text", "messages")
        parts.append(f"<|{message['role']}|>{_content(message.get('content'), place)}".encode())
    parts.append(b"<|assistant|>")
    return b"".join(parts)


def _content(content: Any, place: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise RefusalError(400, f"{place}.content: must be a text or a list of parts", "messages")
    texts = [part.get("text") if isinstance(part, dict) else None for part in content]
    found = [text for text in texts if isinstance(text, str)]
    if len(found) < len(texts):
        raise RefusalError(400, f"{place}.content: only parts of type text are simulated", "messages")
    return "\n".join(found)


def _output_tokens(prompt_tokens: int, limit: int | None, settings: Settings, *, is_chat: bool) -> int:
    """How long the answer will be: as long as the client allows."""
    room = settings.model_tokens - prompt_tokens
    if room < max(1, limit or 0):
        wanted = f"{prompt_tokens} tokens of prompt" + (f" and {limit} of output" if limit else "")
        raise RefusalError(
            400, f"the longest context has {settings.model_tokens} tokens, not room for {wanted}", "prompt"
        )
    default = settings.output_tokens if is_chat else COMPLETION_TOKENS
    return limit if limit is not None else min(default, room)


def _has_usage(document: dict[str, Any], *, is_stream: bool) -> bool:
    options = document.get("stream_options")
    if options is None:
        return False
    if not isinstance(options, dict) or not is_stream:
        raise RefusalError(400, "stream_options: an object, and only with stream", "stream_options")
    return _flag(options, "include_usage")


def _text(document: dict[str, Any], name: str) -> str | None:
    value = document.get(name)
    if value is not None and not isinstance(value, str):
        raise RefusalError(400, f"{name}: must be a text", name)
    return value


def _flag(document: dict[str, Any], name: str) -> bool:
    value = document.get(name)
    if value is not None and not isinstance(value, bool):
        raise RefusalError(400, f"{name}: must be true or false", name)
    return bool(value)


def _integer(document: dict[str, Any], name: str) -> int | None:
    value = document.get(name)
    if value is not None and type(value) is not int:
        raise RefusalError(400, f"{name}: must be a whole number", name)
    return value


def _positive(document: dict[str, Any], name: str) -> int | None:
    value = _integer(document, name)
    if value is not None and value < 1:
        raise RefusalError(400, f"{name}: must be at least 1", name)
    return value

"""Text and media of conversations: messages, items, and the parts of their contents."""

from __future__ import annotations

from typing import Any

from bayplan.framework.errors import InputError

_MEDIA_KEYS = ("image_url", "video_url", "audio_url")


def plain_text(messages: Any) -> bytes | None:
    """The text of messages that hold nothing else, as `Conversation` would collect it; None: they are not so simple."""
    if type(messages) is not list:
        return None
    pieces: list[str] = []
    for message in messages:
        try:
            role, content = message["role"], message["content"]
        except (KeyError, TypeError):
            return None
        if type(role) is not str or type(content) is not str:
            return None
        pieces += (role, content)
    return "".join(pieces).encode()


class Conversation:
    """Collects a conversation's text, in order and with nothing between, and the URLs of its media."""

    __slots__ = ("_pieces", "media")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.media: list[str] = []

    @property
    def text(self) -> bytes:
        """All text so far, as UTF-8."""
        return "".join(self._pieces).encode()

    def add_messages(self, messages: Any, place: str) -> None:
        """Each message's role, then its content."""
        if not isinstance(messages, list):
            raise InputError(f"is a {type(messages).__name__}", place=place, next="send a list of messages")
        pieces = self._pieces
        for number, message in enumerate(messages):
            if not isinstance(message, dict):
                step = 'send each message as {"role": …, "content": …}'
                raise InputError(f"is a {type(message).__name__}", place=f"{place}[{number}]", next=step)
            role, content = message.get("role"), message.get("content")
            if isinstance(role, str):
                pieces.append(role)
            if isinstance(content, str):  # most are
                pieces.append(content)
            else:
                self.add_content(content)

    def add_content(self, content: Any) -> None:
        """Text, or the text of each part of a list. What holds no text (null, say) adds nothing."""
        if isinstance(content, str):
            self._pieces.append(content)
        elif isinstance(content, list):
            for part in content:
                if isinstance(part, dict):
                    self._add_part(part)

    def _add_part(self, part: dict[str, Any]) -> None:
        text = part.get("text")
        if isinstance(text, str):
            self._pieces.append(text)
        for key in _MEDIA_KEYS:
            if key in part:
                self._add_medium(part[key])
        if part.get("type") == "image":
            self._add_medium(part.get("source"))

    def _add_medium(self, value: Any) -> None:
        url = value.get("url") if isinstance(value, dict) else value
        if isinstance(url, str) and url:
            self.media.append(url)

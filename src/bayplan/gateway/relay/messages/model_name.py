"""The model's name in an answer: what the client asked for instead of what the engine was asked for."""

from __future__ import annotations

import re
from typing import Final

import orjson

_MOST_HELD: Final = 64 * 1024
"""Bytes of a line of a stream that are kept back until it is complete."""


class ModelName:
    """Replaces `"model": "ENGINE'S"` by the client's name in pieces of JSON or of a stream of events.

    Quotation marks inside generated text are escaped, so that text which looks alike is left alone.
    """

    def __init__(self, engines: str, clients: str, *, is_stream: bool) -> None:
        name = orjson.dumps(engines)
        self._pattern = re.compile(rb'"model"(\s{0,4}):(\s{0,4})' + re.escape(name))
        self._name = orjson.dumps(clients)
        self._longest = len(name) + 16
        self._is_stream = is_stream
        self._held = b""

    def piece(self, data: bytes) -> bytes:
        """What can be passed on: of a stream whole lines, of JSON all but what could begin the name."""
        data = self._written(self._held + data)
        ready = data.rfind(b"\n") + 1 if self._is_stream else 0
        if not self._is_stream or len(data) - ready > _MOST_HELD:
            ready = max(0, len(data) - self._longest)
        self._held = data[ready:]
        return data[:ready]

    def end(self) -> bytes:
        """What was kept back."""
        held, self._held = self._held, b""
        return self._written(held)

    def _written(self, data: bytes) -> bytes:
        return self._pattern.sub(rb'"model"\1:\2' + self._name.replace(b"\\", b"\\\\"), data)

"""Another model's name in a body: only these bytes change, the rest stays as the client wrote it."""

from __future__ import annotations

import re

import orjson

_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKENS = re.compile(_STRING + rb"|[{}\[\]]", re.DOTALL)
_COLON = re.compile(rb"\s*:\s*")
_VALUE = re.compile(_STRING + rb"|[^,}\s]+", re.DOTALL)  # of a model: text, or a word such as null
_OPEN, _CLOSE = b"{[", b"}]"


def with_model(body: bytes, model: str) -> bytes:
    """The body, which is a JSON object, with this `model`; one that has none gets it as its first field."""
    name = orjson.dumps(model)
    places = _places(body)
    if not places:
        start = body.index(b"{") + 1
        comma = b"" if body[start:].lstrip().startswith(b"}") else b","
        return b"".join((body[:start], b'"model":', name, comma, body[start:]))
    pieces: list[bytes] = []
    end = 0
    for first, last in places:
        pieces += (body[end:first], name)
        end = last
    return b"".join((*pieces, body[end:]))


def _places(body: bytes) -> list[tuple[int, int]]:
    """Where the values of `model` at the top stand; a field may be there twice, and readers then take the last."""
    depth, places = 0, []
    for token in _TOKENS.finditer(body):
        text = token.group()
        if text in _OPEN:
            depth += 1
        elif text in _CLOSE:
            depth -= 1
        elif depth == 1 and (text == b'"model"' or (b"\\" in text and orjson.loads(text) == "model")):
            colon = _COLON.match(body, token.end())
            value = None if colon is None else _VALUE.match(body, colon.end())  # without a colon it is no key
            if value is not None:
                places.append(value.span())
    return places

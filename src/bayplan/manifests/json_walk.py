"""A slow and careful walk over JSON that was already read: it knows where everything stands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.manifests.paths import Step

_TOKEN = re.compile(
    rb"[\s,]*+(?:"
    rb'(?P<string>"(?:[^"\\]++|\\.)*+")(?P<colon>\s*+:)?|(?P<open>[\[{])|(?P<close>[\]}])|(?P<word>[^\s,:\[\]{}"]++))',
    re.DOTALL,
)


class Visit(NamedTuple):
    """A value: its path, where its key or itself begins, its first token, and whether its key stood there before."""

    steps: tuple[Step, ...]
    offset: int
    token: bytes
    is_again: bool


class _Frame:
    __slots__ = ("index", "keys", "steps")

    def __init__(self, steps: tuple[Step, ...], *, is_list: bool) -> None:
        self.steps = steps
        self.index = 0
        self.keys: set[str] | None = None if is_list else set()


def visits(data: bytes) -> Iterator[Visit]:
    """Every value in the order of the text. The text must be valid; at a token that is not JSON the walk just ends."""
    stack: list[_Frame] = []
    key: str | None = None
    key_offset = 0
    position = 0
    while (found := _TOKEN.match(data, position)) is not None:
        position = found.end()
        kind = found.lastgroup
        if kind == "colon":
            key, key_offset = unquoted(found["string"]), found.start("string")
            continue
        if kind == "close":
            if stack:
                stack.pop()
            continue
        token = found[str(kind)]
        offset = found.start(str(kind))
        steps: tuple[Step, ...] = ()
        is_again = False
        if stack:
            frame = stack[-1]
            if frame.keys is None:
                steps = (*frame.steps, frame.index)
                frame.index += 1
            elif key is not None:
                steps, offset = (*frame.steps, key), key_offset
                is_again = key in frame.keys
                frame.keys.add(key)
        yield Visit(steps, offset, token, is_again)
        if kind == "open":
            stack.append(_Frame(steps, is_list=token == b"["))


def lines(data: bytes) -> Iterator[tuple[tuple[Step, ...], int]]:
    """The path and the line of every value."""
    line = 1
    seen = 0
    for visit in visits(data):
        line += data.count(b"\n", seen, visit.offset)
        seen = visit.offset
        yield visit.steps, line


def unquoted(token: bytes) -> str:
    """The text that a string token stands for."""
    return str(json.loads(token)) if b"\\" in token else token[1:-1].decode()

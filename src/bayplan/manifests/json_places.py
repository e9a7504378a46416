"""The offsets and lines of values in a JSON text, found by skipping all other values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.manifests.paths import Step

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_ITEM = re.compile(
    rb"[\s,]*+(?:(?:(%b)\s*+:\s*+)?+(%b|[\[{]|[^\s,:\[\]{}\"]++)|([\]}]))" % (_STRING, _STRING), re.DOTALL
)
_KEY, _VALUE, _CLOSE = 1, 2, 3
_OPENS = (b"[", b"{")
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|%b)*+([\[\]{}])' % _STRING, re.DOTALL)


class JsonPlaces:
    """Finds offsets and lines in a valid text.

    A container is searched only as far as needed, and the offsets of its children are kept. So one
    error in forty megabytes costs less than a second, and the next thousand cost little more.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._containers: dict[int, _Container] = {}
        self._counted = (0, 1)

    def line(self, steps: tuple[Step, ...]) -> int | None:
        """The line of the value, or of the nearest container around it."""
        offset = self.offset(steps)
        seen, line = self._counted if self._counted[0] <= offset else (0, 1)
        line += self._data.count(b"\n", seen, offset)
        self._counted = (offset, line)
        return line

    def offset(self, steps: tuple[Step, ...]) -> int:
        """Where the key or the item begins."""
        shown = value = self._begin()
        for step in steps:
            child = self._container(value).child(step)
            if child is None:
                break
            shown, value = child
        return shown

    def offset_of_last(self, steps: tuple[Step, ...], key: str) -> int:
        """The offset of the last occurrence of a duplicate key of this mapping."""
        plain = b'"' + key.encode() + b'"'
        value = self._begin()
        for step in steps:
            value = (self._container(value).child(step) or (0, value))[1]
        last = value
        for item in _items(self._data, value):
            token = item[_KEY]
            if token == plain or (token is not None and b"\\" in token and _name(token) == key):
                last = item.start(_KEY)
        return last

    def _begin(self) -> int:
        return len(self._data) - len(self._data.lstrip())

    def _container(self, start: int) -> _Container:
        if start not in self._containers:
            self._containers[start] = _Container(self._data, start)
        return self._containers[start]


class _Container:
    """The children found so far, by key or index: the offsets of the key (or item) and of the value."""

    def __init__(self, data: bytes, start: int) -> None:
        self._items = _items(data, start)
        self._found: dict[Step, tuple[int, int]] = {}

    def child(self, step: Step) -> tuple[int, int] | None:
        while step not in self._found:
            item = next(self._items, None)
            if item is None:
                return None
            key = item[_KEY]
            value = item.start(_VALUE)
            if key is None:
                self._found[len(self._found)] = value, value
            else:
                self._found[_name(key)] = item.start(_KEY), value
        return self._found[step]


def _items(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """The children of the container at `start`; the inside of a child is skipped only when the next child is needed."""
    if data[start] not in b"[{":
        return
    position = start + 1
    while position:
        items = _ITEM.finditer(data, position)
        position = 0
        for item in items:
            if item.lastindex == _CLOSE:
                return
            yield item
            if item[_VALUE] in _OPENS:
                position = _end(data, item.start(_VALUE))
                break


def _name(key: bytes) -> str:
    return str(orjson.loads(key)) if b"\\" in key else key[1:-1].decode()


def _end(data: bytes, start: int) -> int:
    """The offset just after the bracket that closes the container at `start`."""
    depth = 0
    for bracket in _TO_BRACKET.finditer(data, start):
        depth += 1 if bracket[1] in b"[{" else -1
        if depth == 0:
            return bracket.end()
    return len(data)

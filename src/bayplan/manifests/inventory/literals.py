"""Python literals as data: what profilers write with `str(dict)`, read without ever running it.

Names, calls and operators are no literals, so there is nothing here that could run. Length and depth are bounded
before anything is parsed, and each character is read once.
"""

from __future__ import annotations

import math
import re
from typing import Any

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError

MAX_LENGTH = 64 * 1024  # all annotations of a Kubernetes object together hold at most 256 KiB
MAX_DEPTH = 16  # profilers nest three levels; the bound keeps recursion shallow
_MAX_DIGITS = 64  # longer integers take quadratic time to convert

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<text>'(?:[^'\\\n]++|\\.)*+'|"(?:[^"\\\n]++|\\.)*+")
      | (?P<number>[-+]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+(?![\w.]))
      | (?P<word>[A-Za-z]++)
      | (?P<mark>[\[\](){},:])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_WORDS: dict[str, bool | None] = {
    "True": True, "False": False, "None": None, "true": True, "false": False, "null": None,
}  # fmt: skip
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_literal(text: object, place: str) -> Any:
    """The value of a literal: texts, numbers, True, False, None, lists, tuples (as lists) and dicts of these."""
    if not isinstance(text, str):
        return text
    if len(text) > MAX_LENGTH:
        message = f"a literal of {len(text):,} characters, and at most {MAX_LENGTH:,} are read"
        raise InputError(message, place=place, next="shorten it")
    return _Reader(text, place).whole()


class _Reader:
    def __init__(self, text: str, place: str) -> None:
        self._text, self._place = text, place
        self._position = 0

    def whole(self) -> Any:
        value = self._value(*self._next(), depth=1)
        if self._next()[0] != "end":
            raise self._refusal()
        return value

    def _next(self) -> tuple[str, str]:
        found = _TOKEN.match(self._text, self._position)
        if found is None or found.lastgroup is None:
            raise self._refusal()
        self._position = found.end()
        return found.lastgroup, found[found.lastgroup]

    def _value(self, kind: str, token: str, depth: int) -> Any:
        if kind == "text":
            return _unescaped(token[1:-1])
        if kind == "number":
            return self._number(token)
        if kind == "word" and token in _WORDS:
            return _WORDS[token]
        if depth > MAX_DEPTH or token not in _CLOSING:
            raise self._refusal()
        closing = _CLOSING[token]
        return self._pairs(closing, depth) if closing == "}" else self._items(closing, depth)

    def _items(self, closing: str, depth: int) -> list[Any]:
        items: list[Any] = []
        kind, token = self._next()
        while token != closing or kind != "mark":
            items.append(self._value(kind, token, depth + 1))
            kind, token = self._after_item(closing)
        return items

    def _pairs(self, closing: str, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        kind, token = self._next()
        while token != closing or kind != "mark":
            key = self._value(kind, token, MAX_DEPTH + 1)
            if self._next() != ("mark", ":"):
                raise self._refusal()
            pairs[str(key)] = self._value(*self._next(), depth + 1)
            kind, token = self._after_item(closing)
        return pairs

    def _after_item(self, closing: str) -> tuple[str, str]:
        mark = self._next()
        if mark == ("mark", ","):
            return self._next()
        if mark != ("mark", closing):
            raise self._refusal()
        return mark

    def _number(self, token: str) -> int | float:
        if len(token) > _MAX_DIGITS or math.isinf(float(token)):
            raise self._refusal()
        return float(token) if any(letter in token for letter in ".eE") else int(token)

    def _refusal(self) -> InputError:
        return InputError(
            f"{shown(self._text)} is no literal from character {self._position + 1} on",
            place=self._place,
            next="write a dict of texts and numbers",
        )


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), text) if "\\" in text else text

"""Finds what orjson accepts and our YAML reader refuses, in bulk and never node by node.

A walk in Python over 5,000 Kubernetes nodes takes as long as parsing them. Writing the value out again takes a tenth,
because orjson does it, and the copy answers three questions: the quotes of duplicate keys are missing from it; an
integer too long for 64 bits has become a float with an exponent; and too much depth cannot be written.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

if TYPE_CHECKING:
    from bayplan.manifests.limits import Limits

_FEWEST_BYTES_PER_NODE = 2  # a digit and a comma
_QUOTE = ord('"')
_CHUNK = 64 * 1024  # small enough for the cache of a core: comparing all at once would make a large array
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)  # one that is never closed must not be looked at again
_NOT_STRUCTURE = bytes(set(range(256)) - set(b",:[{"))
_SPECIAL_ESCAPE = re.compile(
    rb"\\\\*+(?:(?P<quote>u0022)|[bf]|u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|8[0-46-9a-fA-F]|9[0-9a-fA-F]))"
)
_C1_CONTROL = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]")
_EXPONENT = b"+" if b"+" in orjson.dumps(1e30) else b"e"
_HUGE_FLOAT = re.compile(rb"\+(?<=[0-9]e\+)[0-9]{2,3}[,\]}]" if _EXPONENT == b"+" else rb"[0-9]e[0-9]{2,3}[,\]}]")


class Copy:
    """A value as orjson writes it: compact, every key once. `text` is None when the value is nested too deep."""

    def __init__(self, value: Any, data: bytes, limits: Limits) -> None:
        if data.count(b"{") + data.count(b"[") > limits.depth:  # else it cannot be too deep
            for _ in range(_deepest_written() - limits.depth):
                value = [value]  # so that orjson's own bound on depth becomes ours
        try:
            self.text: bytes | None = orjson.dumps(value)
        except orjson.JSONEncodeError:
            self.text = None

    def lacks_keys(self, data: bytes, escaped_quotes: int) -> bool:
        """Whether the text had more strings than the copy, so that it had a duplicate key.

        All quotes are counted, also inside strings; a quote that the text writes `\\u0022` is a plain one in the copy.
        """
        return self.text is not None and _quotes(data) + escaped_quotes != _quotes(self.text)

    def may_hold_more_nodes(self, most: int) -> bool:
        """Whether the value may hold more nodes than allowed, so that they must be counted."""
        return self.text is None or may_hold_more_nodes(self.text, most)

    def holds_huge_float(self) -> bool:
        """A float of 1e16 or more may have been an integer: orjson reads what exceeds 64 bits as a float."""
        return self.text is not None and _EXPONENT in self.text and _HUGE_FLOAT.search(self.text) is not None


def surely_holds_more_nodes(data: bytes, most: int) -> bool:
    """Whether to refuse before parsing. What passes holds at most twice the allowed nodes."""
    if not may_hold_more_nodes(data, most):
        return False
    structure = _STRING.sub(b"", data).translate(None, _NOT_STRUCTURE)
    opened = structure.count(b"[") + structure.count(b"{")
    return max(opened, structure.count(b",") + 1) + structure.count(b":") > most


def may_hold_more_nodes(data: bytes, most: int) -> bool:
    """False only where it surely does not: every node takes at least two bytes and follows one of `,:[{`."""
    return len(data) >= most * _FEWEST_BYTES_PER_NODE and len(data.translate(None, _NOT_STRUCTURE)) >= most


class Survey:
    """The strings of a valid text: the first control character, and how many quotes are written `\\u0022`."""

    def __init__(self, data: bytes) -> None:
        self.escaped_quotes = 0
        self.control = _raw_control(data)
        if self.control is None and b"\\" in data:
            self._look_at_escapes(data)

    def _look_at_escapes(self, data: bytes) -> None:
        for found in _SPECIAL_ESCAPE.finditer(data):
            escape = b"\\" + found[0].lstrip(b"\\")
            if (len(found[0]) - len(escape)) % 2:
                continue  # an even number of backslashes stands for backslashes, and what follows is text
            if found["quote"] is None:
                character = orjson.loads(b'"' + escape + b'"')
                self.control = found.end() - len(escape), f"U+{ord(character):04X}"
                return
            self.escaped_quotes += 1


def _raw_control(data: bytes) -> tuple[int, str] | None:
    """The offset and the name of the first control character; characters below U+0020 are not valid JSON anyway."""
    delete = data.find(b"\x7f")
    if delete >= 0:
        return delete, "U+007F"
    found = _C1_CONTROL.search(data) if b"\xc2" in data else None
    return (found.start(), f"U+{found[0][1]:04X}") if found else None


def _quotes(data: bytes) -> int:
    """The number of quotes. Every tenth byte is one, so `bytes.count`, which stops at each, is slow for long texts.

    For short ones it is faster: NumPy lets other threads run meanwhile, and then has to wait for its turn again.
    """
    if len(data) <= _CHUNK:
        return data.count(b'"')
    letters = np.frombuffer(data, np.uint8)
    starts = range(0, len(letters), _CHUNK)
    return sum(int(np.count_nonzero(letters[start : start + _CHUNK] == _QUOTE)) for start in starts)


@cache
def _deepest_written() -> int:
    """How many levels orjson writes: a constant of orjson (254), measured here in case it changes."""
    value: list[Any] = []
    depth = 1
    while True:
        try:
            orjson.dumps(value)
        except orjson.JSONEncodeError:
            return depth - 1
        value = [value]
        depth += 1

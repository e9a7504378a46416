"""Whether JSON that was read could hide what YAML would refuse, asked of bytes in bulk and never node by node.

A walk in Python over 5,000 Kubernetes nodes takes as long as parsing them. Writing the value out again takes a tenth,
because orjson does it, and the copy answers three questions: keys that stood twice are missing from it, with their
quotes; an integer too long for 64 bits has become a float with an exponent; and too much depth cannot be written.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.manifests.expansion import measure

if TYPE_CHECKING:
    from bayplan.manifests.limits import Limits

_SPECIAL_ESCAPE = re.compile(
    rb"\\\\*+(?:(?P<quote>u0022)|[bf]|u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|8[0-46-9a-fA-F]|9[0-9a-fA-F]))"
)
_C1_CONTROL = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]")
_HUGE_FLOAT = re.compile(
    rb"\+(?<=[0-9]e\+)[0-9]{2,3}[,\]}]" if b"+" in orjson.dumps(1e30) else rb"[0-9]e[0-9]{2,3}[,\]}]"
)
_FEWEST_BYTES_PER_NODE = 2


class Copy:
    """A value as orjson writes it: compact, every key once. `text` is None when the value is nested too deep."""

    def __init__(self, value: Any, limits: Limits) -> None:
        for _ in range(_deepest_written() - limits.depth):
            value = [value]  # so that orjson's own bound on depth becomes ours
        try:
            self.text: bytes | None = orjson.dumps(value)
        except orjson.JSONEncodeError:
            self.text = None

    def holds_huge_float(self) -> bool:
        """A float of 1e16 or more may have been an integer: orjson reads what exceeds 64 bits as a float."""
        return self.text is not None and _HUGE_FLOAT.search(self.text) is not None


def is_suspicious(data: bytes, copy: Copy) -> bool:
    """Whether a careful pass must look at the text; never false when there is something to refuse."""
    if copy.text is None or b"\x7f" in data or _C1_CONTROL.search(data):
        return True
    quotes = 0
    for found in _SPECIAL_ESCAPE.finditer(data):
        if _is_literal(found[0]):
            continue
        if found["quote"] is None:
            return True
        quotes += 1
    return data.count(b'"') + quotes != copy.text.count(b'"') or copy.holds_huge_float()


def count_nodes(value: Any, copy: Copy, limits: Limits) -> int:
    """The nodes of the value, or a higher number that is allowed too, where the copy is too short to hold more."""
    if copy.text is not None:
        at_most = len(copy.text) // _FEWEST_BYTES_PER_NODE + 1
        if at_most <= limits.nodes:
            return at_most
    return measure(value, limits.nodes).nodes


def _is_literal(escape: bytes) -> bool:
    """An even run of backslashes stands for backslashes; what follows is text."""
    return (len(escape) - len(escape.lstrip(b"\\"))) % 2 == 0


@cache
def _deepest_written() -> int:
    """How many levels orjson writes. It is a constant of orjson (254); asking keeps us right when it changes."""
    value: list[Any] = []
    depth = 1
    while True:
        try:
            orjson.dumps(value)
        except orjson.JSONEncodeError:
            return depth - 1
        value = [value]
        depth += 1

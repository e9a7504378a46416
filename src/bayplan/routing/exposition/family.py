"""The series of one metric, found in a Prometheus text without reading the rest of it.

A text has tens of thousands of lines that nobody asked for. So a name is looked for as bytes, and only the lines that
hold it are read. Each byte is looked at a constant number of times, whatever the text is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_SERIES: Final = 10_000
"""Of one metric: ranks of an engine are counted in hundreds, and ten thousand lines are read in about 20 ms."""
MOST_VALUE_BYTES: Final = 64
"""A longer number is no number; what reads digits needs a time that grows faster than their count."""

_NOT_READ: Final = (b"histogram", b"summary")
_NAME_BYTES: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:")
_BLANKS: Final = b" \t"
# possessive, so that a line that does not match is given up in linear time
_QUOTED: Final = rb'"(?:[^"\\]++|\\.)*+"'
_LABEL: Final = re.compile(
    rb'[ \t]*+(?:([^\s"{}=,]++)|(' + _QUOTED + rb"))[ \t]*+=[ \t]*+(" + _QUOTED + rb")[ \t]*+,?+"
)
_LABELS: Final = (
    rb'(?:[ \t]*+(?:[^\s"{}=,]++|' + _QUOTED + rb")[ \t]*+=[ \t]*+" + _QUOTED + rb"[ \t]*+(?:,|(?=\})))*+[ \t]*+"
)
_NUMBER: Final = rb"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_AFTER_NAME: Final = re.compile(
    rb"(?:[ \t]*+\{(" + _LABELS + rb")\}[ \t]*+|[ \t]++)"
    rb"(" + _NUMBER + rb"|[+-]?+(?i:nan|infinity|inf))"
    rb"(?:[ \t]++" + _NUMBER + rb")?+[ \t\r]*+"
)
_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)


class Series:
    """One line of a metric; labels are read when they are first asked for."""

    __slots__ = ("_labels", "_written", "value")

    def __init__(self, value: float, written_labels: bytes) -> None:
        self.value = value
        self._written = written_labels
        self._labels: dict[str, str] | None = None

    @property
    def labels(self) -> dict[str, str]:
        """Its labels, without escapes."""
        if self._labels is None:
            self._labels = {
                _plain(name or quoted[1:-1]): _plain(value[1:-1])
                for name, quoted, value in _LABEL.findall(self._written)
            }
        return self._labels


@dataclass(slots=True)
class Family:
    """All series of one metric. `too_many`: there are more than are read, so nothing can be said of their sum."""

    series: list[Series] = field(default_factory=list)
    unreadable: int = 0
    declared: str = ""
    """Its type, where it is one that is not read: histogram or summary."""
    too_many: bool = False


class Exposition:
    """The text of one scrape. Families are looked for when they are asked for, each once."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._families: dict[str, Family] = {}

    @property
    def begins(self) -> str:
        """How it begins, for messages."""
        return self._text[:60].decode("utf-8", "replace").split("\n", 1)[0].strip()

    def family(self, name: str) -> Family:
        """The series of exactly this name."""
        found = self._families.get(name)
        if found is None:
            found = self._families[name] = _family(self._text, name.encode())
        return found


def _family(text: bytes, name: bytes) -> Family:
    found = Family()
    for start, at, end in _lines(text, name):
        before = text[start:at].strip(_BLANKS)
        if before:
            if before.startswith(b"#"):
                found.declared = _declared(text[start:end], name) or found.declared
            continue
        after = at + len(name)
        if after < end and text[after] in _NAME_BYTES:
            continue  # a longer name
        if len(found.series) + found.unreadable >= MOST_SERIES:
            found.too_many = True
            break
        line = _AFTER_NAME.fullmatch(text, after, end)
        if line is None or len(line[2]) > MOST_VALUE_BYTES:
            found.unreadable += 1
        else:
            found.series.append(Series(float(line[2]), line[1] or b""))
    if found.declared:
        found.series.clear()
    return found


def _lines(text: bytes, name: bytes) -> Iterator[tuple[int, int, int]]:
    """Lines with the name in them: where the line begins, where the name is first, where the line ends."""
    start = 0
    while (at := text.find(name, start)) >= 0:
        start = text.rfind(b"\n", start, at) + 1 or start
        end = text.find(b"\n", at)
        if end < 0:
            end = len(text)
        yield start, at, end
        start = end + 1


def _declared(line: bytes, name: bytes) -> str:
    """The type that a `# TYPE` line declares for this name, if it is one that is not read."""
    words = line.split()
    is_type = len(words) == 4 and words[:3] == [b"#", b"TYPE", name]
    return words[3].decode() if is_type and words[3] in _NOT_READ else ""


def _plain(written: bytes) -> str:
    text = _ESCAPE.sub(lambda found: b"\n" if found[1] == b"n" else found[1], written) if b"\\" in written else written
    return text.decode("utf-8", "replace")

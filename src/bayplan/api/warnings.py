"""What a client is told beside the answer: Warning headers, bounded as the API server bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 2000  # characters of one: clients print warnings on a line; servers in between refuse long headers
_MOST = 50  # headers: common HTTP libraries refuse an answer with more than 100
_MOST_CHARACTERS = 8 * 1024  # of all: servers in between refuse more


def warning_headers(warnings: Sequence[str]) -> Iterator[str]:
    """The values of the headers; where there is no room for all, the last says how many are missing."""
    left = _MOST_CHARACTERS
    for number, text in enumerate(warnings):
        value = warning_header(text)
        left -= len(value)
        if number == _MOST or left < 0:
            missing = len(warnings) - number
            yield warning_header(f"{missing} more warnings; send the object with fieldValidation=Strict to see them")
            return
        yield value


def warning_header(text: str) -> str:
    """A warning as HTTP spells it; what is not ASCII or breaks the line is replaced, because headers cannot hold it."""
    plain = text.encode("ascii", "replace").decode()
    shown = "".join(each if each.isprintable() else " " for each in plain)[:_LONGEST]
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'

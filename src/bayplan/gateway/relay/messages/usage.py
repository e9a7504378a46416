"""How many tokens an engine counted, read from the last bytes of its answer."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

TAIL_BYTES: Final = 4_096
"""Usage stands at the end of an answer, or in the last event but one of a stream."""

_MARK: Final = b'"usage"'
_COUNTS: Final = re.compile(rb'"(prompt|completion|input|output|cached)_tokens"\s*:\s*(\d{1,12})')

_PLAIN: Final = re.compile(
    rb'"usage":\s?\{"prompt_tokens":\s?(\d{1,12}),\s?(?:"total_tokens":\s?\d+,\s?)?"completion_tokens":\s?(\d{1,12})'
    rb"(?=[,}])[^{}c]*+\}"
)
"""How most engines write it, with nothing behind it that could be about a cache; found in half the time."""


class Usage(NamedTuple):
    """Tokens as the engine said; None where it did not."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


UNKNOWN: Final = Usage()


def usage_of(tail: bytes) -> Usage:
    """The last usage in these bytes, by the names of OpenAI or of Anthropic."""
    begin = tail.rfind(_MARK)
    if begin < 0:
        return UNKNOWN
    plain = _PLAIN.match(tail, begin)
    if plain is not None:
        return Usage(int(plain[1]), int(plain[2]), None)
    counts = {name: int(number) for name, number in _COUNTS.findall(tail, begin)}
    return Usage(
        counts.get(b"prompt", counts.get(b"input")),
        counts.get(b"completion", counts.get(b"output")),
        counts.get(b"cached"),
    )

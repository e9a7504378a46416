"""Paths into a document, spelled as people write them: `spec.gpus[0].memory`, `labels["a.b/c"]`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Step = str | int

_PLAIN_KEY = re.compile(r'[^.\[\]"\\\s\x00-\x1f\x7f-\x9f]+')
_STEP = re.compile(r'\[([0-9]{1,18})\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.\[]+)')
_LONGEST_KEY_SHOWN = 60


def spell(steps: Iterable[Step]) -> str:
    """The path as text, without loss: `split` gives the steps back."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def spell_short(steps: Iterable[Step]) -> str:
    """The path for a message: a key of a megabyte must not fill the terminal."""
    return spell(step if isinstance(step, int) else clip(step) for step in steps)


def split(path: str) -> tuple[Step, ...]:
    """The steps of a path; what cannot be understood is taken as a key, because this only serves messages."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            steps.append(path[position:])
            break
        steps.append(_step(found))
        position = found.end()
    return tuple(steps)


def _step(found: re.Match[str]) -> Step:
    index, quoted, plain = found.groups()
    if index is not None:
        return int(index)
    if quoted is None:
        return str(plain)
    try:
        return str(json.loads(quoted))
    except ValueError:
        return str(quoted[1:-1])


def clip(text: str) -> str:
    """At most a line's worth of foreign text, with nothing in it that could steer a terminal."""
    short = text if len(text) <= _LONGEST_KEY_SHOWN else text[:_LONGEST_KEY_SHOWN] + "…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in short)

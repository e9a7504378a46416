"""Paths into a document, spelled as people write them: `spec.gpus[0].memory`, `labels["a.b/c"]`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from bayplan.framework.config.place import Place, clip

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Step", "clip", "spell", "spell_short", "split"]

Step = str | int

_STEP = re.compile(r'\[([0-9]{1,18})\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.\[]+)')


def spell(steps: Iterable[Step]) -> str:
    """The path as text, without loss: `split` gives the steps back."""
    return Place(tuple(steps)).path


def spell_short(steps: Iterable[Step]) -> str:
    """The path for a message: a key of a megabyte must not fill the terminal."""
    return spell(step if isinstance(step, int) else clip(step) for step in steps)


def split(path: str) -> tuple[Step, ...]:
    """The steps of a path; a part that cannot be parsed becomes a key, because paths only serve messages."""
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

"""Where in a document something stands, spelled as people write it: `plugins[0].parameters.ties`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_PLAIN_KEY = re.compile(r'[^.\[\]"\\\s\x00-\x1f\x7f-\x9f]+')  # anything else could be mistaken for a part of the path
_LONGEST_KEY_SHOWN = 60  # so that a path of several keys stays readable in an error


@dataclass(frozen=True, slots=True)
class Place:
    """The steps from a document's root to one of its values."""

    steps: tuple[str | int, ...] = ()

    def at(self, step: str | int) -> Place:
        """One field or item further in."""
        return Place((*self.steps, step))

    @property
    def parent(self) -> Place:
        return Place(self.steps[:-1])

    @property
    def path(self) -> str:
        """Spelled without loss, to look up its line."""
        return "".join(_spelled(self.steps))

    def __str__(self) -> str:
        shown = (step if isinstance(step, int) else clip(step) for step in self.steps)
        return "".join(_spelled(tuple(shown))) or "document"


def clip(text: str) -> str:
    """At most a line's worth of foreign text, with nothing in it that could steer a terminal."""
    short = text if len(text) <= _LONGEST_KEY_SHOWN else text[:_LONGEST_KEY_SHOWN] + "…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in short)


def _spelled(steps: tuple[str | int, ...]) -> list[str]:
    words: list[str] = []
    for step in steps:
        if isinstance(step, int):
            words.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            words.append(f".{step}" if words else step)
        else:
            words.append(f"[{json.dumps(step, ensure_ascii=False)}]")
    return words

"""Whether what engines tell of their caches is about the prompts that they were sent.

An engine that has computed a prompt holds its first block, and says so. If it tells of blocks, and never of those of
the prompts that went there, then names of models, tokenizers or block sizes differ, and no prompt will ever match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ENOUGH: Final = 20
"""Prompts without a block among those that were told: events may be late for one prompt, not for twenty."""


@dataclass(slots=True)
class _Counts:
    told: bool = False
    missing: int = 0
    agreed: bool = False


class Agreement:
    """Counts by endpoint. One prompt whose block was told is enough to trust an endpoint."""

    def __init__(self) -> None:
        self._counts: dict[str, _Counts] = {}

    def told(self, name: str) -> None:
        """The engine told of blocks that it stored."""
        self._counts.setdefault(name, _Counts()).told = True

    def computed(self, name: str, *, is_held: bool) -> None:
        """A prompt of at least one whole block has been computed there; whether the engine told that it holds it."""
        counts = self._counts.get(name)
        if counts is None or not counts.told or counts.agreed:
            return
        counts.agreed = is_held
        counts.missing += not is_held

    def left(self, name: str) -> None:
        """The endpoint is gone."""
        self._counts.pop(name, None)

    def problems(self) -> list[str]:
        """The endpoints whose events never match."""
        return [
            f"KV events of endpoint {name} never match: it told of none of the {counts.missing} prompts it computed; "
            "compare model names and block sizes, and send token ids, because tokens of text are only estimated"
            for name, counts in self._counts.items()
            if counts.missing >= ENOUGH and not counts.agreed
        ]

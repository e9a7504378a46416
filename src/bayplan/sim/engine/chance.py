"""Chance that a seed decides."""

from __future__ import annotations

from typing import Final

_MASK: Final = 2**64 - 1


class Chance:
    """SplitMix64: a few lines, so that an engine need not load the library's generators and what they load."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def number(self) -> int:
        """The next number of 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((self._state ^ (self._state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def happens(self, probability: float) -> bool:
        """Whether something of this probability happens now."""
        return probability > 0 and self.number() < probability * 2**64

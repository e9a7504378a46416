"""The answer of scaling: from how many replicas to how many, and why."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Advice(NamedTuple):
    """`reason` is a word that is never renamed."""

    current: int
    desired: int
    reason: str

    @property
    def action(self) -> Literal["up", "down", "hold"]:
        if self.desired == self.current:
            return "hold"
        return "up" if self.desired > self.current else "down"


def hold(current: int, reason: str) -> Advice:
    """Everything stays as it is."""
    return Advice(current, current, reason)

"""A run of steps of the same requests, whose ends are known in advance."""

from __future__ import annotations


class Span:
    """Steps that decode one token of the same requests each.

    Every step reads a little more context than the one before it, so step j (from 0) takes `first_s + j * growth_s`.
    The end of any step is one formula from the start of the span: whoever asks, and how often, gets the same times.
    """

    __slots__ = ("done", "first_s", "growth_s", "length", "start_s")

    def __init__(self, start_s: float, first_s: float, growth_s: float, length: int) -> None:
        self.start_s = start_s
        self.first_s = first_s
        self.growth_s = growth_s
        self.length = length
        self.done = 0

    def end_s(self, steps: int) -> float:
        """When that many of its steps are over."""
        return self.start_s + (steps * self.first_s + self.growth_s * (steps * (steps - 1) // 2))

    def steps_by(self, now_s: float) -> int:
        """How many of its steps are over at that time."""
        if self.end_s(self.length) <= now_s:
            return self.length
        over, ahead = self.done, self.length
        if self.end_s(over + 1) > now_s:
            return over
        while ahead - over > 1:
            middle = (over + ahead) // 2
            if self.end_s(middle) <= now_s:
                over = middle
            else:
                ahead = middle
        return over

    def cut(self) -> None:
        """Let it end with the step in progress."""
        self.length = self.done + 1

"""The numbers of messages: which are new, which came before, and which were missed."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What a message is."""

    NEXT = "next"
    DUPLICATE = "duplicate"
    GAP = "gap"
    """Messages before it were missed."""
    RESTART = "restart"
    """The engine counts from the beginning again: its cache is empty."""


class MessageSequence:
    """Follows the numbers of one publisher. The first message is the next one, whatever its number.

    A number that is not above the last one is a duplicate (replays overlap with what comes by itself), unless its batch
    was made later than the last one: then the engine was restarted.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self.last_time_s = 0.0
        self.missed = 0
        """Messages that never came."""

    def judge(self, number: int, time_s: float) -> Verdict:
        """What a message is; it changes nothing."""
        if self.last is None or number == self.last + 1:
            return Verdict.NEXT
        if number > self.last:
            return Verdict.GAP
        return Verdict.RESTART if time_s > self.last_time_s else Verdict.DUPLICATE

    def take(self, number: int, time_s: float) -> None:
        """A message is used; what lies between it and the last one is missed for good."""
        if self.last is not None and number > self.last:
            self.missed += number - self.last - 1
        self.last, self.last_time_s = number, time_s

    def begin_anew(self) -> None:
        """The engine was restarted."""
        self.last = None

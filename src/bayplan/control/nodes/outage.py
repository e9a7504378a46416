"""A mass outage: a large share of workers is silent at once, so that evicting their Pods would do harm."""

from __future__ import annotations

from dataclasses import dataclass

FEW = 2
"""That many silent workers are no mass outage while others are heard: in a small cluster two can fail."""


@dataclass(slots=True)
class Outage:
    """Whether there is one; `ended_s` is when the last one was over."""

    share: float
    silent: int = 0
    expected: int = 0
    active: bool = False
    ended_s: float = 0.0

    def look(self, silent: int, expected: int, now_s: float) -> bool:
        """Take note of how many workers are silent; whether an outage has just begun or ended."""
        self.silent, self.expected = silent, expected
        active = silent > self.share * expected and (silent > FEW or silent == expected > 1)
        changed, self.active = active is not self.active, active
        if changed and not active:
            self.ended_s = now_s
        return changed

    @property
    def message(self) -> str:
        """The state in a sentence."""
        numbers = f"{self.silent:,} of {self.expected:,} workers are silent"
        if self.active:
            return f"{numbers}, more than {self.share:.0%}: no Pods are evicted until some are heard again"
        return f"{numbers}: Pods are evicted again after the usual time"

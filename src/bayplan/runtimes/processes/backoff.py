"""How long to wait before the next try: longer each time, and from the beginning after a good run."""

from __future__ import annotations

import random
from dataclasses import dataclass

FIRST_S, LONGEST_S, GOOD_RUN_S = 10.0, 300.0, 600.0
"""As the kubelet: 10 s, doubled up to five minutes, forgotten after ten minutes of running."""


@dataclass(slots=True)
class Backoff:
    """Pauses that double; `free` failures come before the first pause."""

    first_s: float = FIRST_S
    longest_s: float = LONGEST_S
    good_run_s: float = GOOD_RUN_S
    free: int = 0
    failures: int = 0

    def pause_s(self, ran_s: float = 0.0) -> float:
        """The pause before the next try, after something that ran that long."""
        if ran_s >= self.good_run_s:
            self.failures = 0
        self.failures += 1
        paused = self.failures - self.free
        return min(self.longest_s, self.first_s * 2.0 ** min(paused - 1, 32)) if paused > 0 else 0.0

    def reset(self) -> None:
        """Something worked."""
        self.failures = 0


def jittered(seconds: float, share: float = 0.1) -> float:
    """The time, a little shorter or longer, so that many workers do not come at the same moment."""
    return seconds * random.uniform(1 - share, 1 + share)  # noqa: S311 (no secret)

"""How fast each engine really is, learnt from the times between first tokens."""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.routing.cost.settings import CostSettings


LEAST_RATE = 1e-6
"""Rates are divided by; an engine that answers in no time at all (a test, say) counts as a million times too fast."""


class Rate:
    """Real seconds of one engine for each predicted second.

    `raw` is the median of the last observations, None before the first. It is a median because one slow prompt must
    not make the engine look slow; `agree` turns raw rates into those that decisions use.
    """

    __slots__ = ("_estimated_s", "_observed_s", "_ring", "last_first_token_s", "raw", "used")

    def __init__(self, settings: CostSettings) -> None:
        self.used = 1.0
        self.raw: float | None = None
        self.last_first_token_s = float("-inf")
        self._ring: deque[float] = deque(maxlen=settings.rate_ring)
        self._observed_s = self._estimated_s = 0.0

    def observe(self, own_s: float, sent_s: float, now: float, bucket_s: float) -> bool:
        """A first token came, of a prompt with `own_s` predicted seconds; whether `raw` is new."""
        self._observed_s += now - max(self.last_first_token_s, sent_s)
        self._estimated_s += own_s
        self.last_first_token_s = now
        if self.used * self._estimated_s < bucket_s or not self._estimated_s:
            return False
        self._ring.append(max(self._observed_s / self._estimated_s, LEAST_RATE))
        self._observed_s = self._estimated_s = 0.0
        self.raw = median(self._ring)
        return True


def agree(rates: Iterable[Rate], dead_band: float) -> None:
    """Set the used rate of every engine.

    Rates near the median of all are the median: a few per cent of noise between equal engines would otherwise break
    every tie, and load would gather on the one that looks fastest. An engine that was not observed yet counts as usual.
    """
    rates = list(rates)
    known = [rate.raw for rate in rates if rate.raw is not None]
    if not known:
        return
    usual = median(known)
    for rate in rates:
        is_usual = rate.raw is None or usual / dead_band < rate.raw < dead_band * usual
        rate.used = usual if is_usual or rate.raw is None else rate.raw

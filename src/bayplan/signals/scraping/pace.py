"""How soon an engine is asked again: often where its queue moves, rarely where nothing happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics


@dataclass(frozen=True, slots=True)
class ScrapeSettings:
    """Seconds between two readings of one engine, and what all readings together may cost.

    The router adds to each reading what it has sent since, so that 200 ms are enough for engines that work. Where
    requests wait, decisions hang on how the queue shrinks. `longest_s` stays below the 2 s after which metrics are no
    longer fresh.
    """

    busy_s: float = 0.05
    usual_s: float = 0.2
    idle_s: float = 1.0
    longest_s: float = 1.5
    jitter: float = 0.1
    """Share by which each wait is made shorter or longer by chance, so that engines are not asked all at once."""
    failures: int = 3
    """After so many failures in a row an engine is told to be silent, and is asked less often."""
    cpu_share: float = 0.1
    """Of one core; where readings would need more, all waits grow up to `longest_s`."""

    def __post_init__(self) -> None:
        waits = (self.busy_s, self.usual_s, self.idle_s, self.longest_s)
        if not 0 < self.busy_s <= self.usual_s <= self.idle_s <= self.longest_s:
            message = f"{', '.join(map(str, waits))} do not grow from busy over usual and idle to longest"
            raise InputError(message, place="scrape", next="write them in this order")
        if not 0 <= self.jitter < 1 or self.failures < 1 or self.cpu_share <= 0:
            following = "jitter is from 0 to below 1, failures at least 1, cpu_share above 0"
            raise InputError("a setting is out of range", place="scrape", next=following)


_FULL = 0.8  # share of the KV cache from which on requests are likely to wait soon


def wait_after(metrics: EngineMetrics, settings: ScrapeSettings) -> float:
    """How long to wait after a reading."""
    if metrics.waiting or (metrics.kv_usage or 0.0) >= _FULL:
        return settings.busy_s
    is_idle = metrics.waiting == 0 and metrics.running == 0
    return settings.idle_s if is_idle else settings.usual_s


def wait_after_failures(failures: int, settings: ScrapeSettings) -> float:
    """How long to wait after failures in a row: first soon, to know whether it was an accident, then ever longer."""
    if failures < settings.failures:
        return settings.busy_s
    return min(settings.idle_s, settings.usual_s * 2.0 ** min(failures - settings.failures, 10))


class Budget:
    """Stretches waits so that all readings together stay below a share of one core."""

    def __init__(self, settings: ScrapeSettings) -> None:
        self._settings = settings
        self._rates: dict[str, float] = {}
        self._rate = 0.0  # readings per second, were nothing stretched
        self._cost_s = 0.0  # of one reading, a moving mean

    @property
    def stretch(self) -> float:
        """By how much waits are longer than they would be."""
        return max(1.0, self._rate * self._cost_s / self._settings.cpu_share)

    def spent(self, seconds: float) -> None:
        """What one reading cost."""
        self._cost_s = seconds if not self._cost_s else 0.95 * self._cost_s + 0.05 * seconds

    def wait(self, name: str, wanted_s: float) -> float:
        """The wait of one engine, which it would like to be so long."""
        rate = 1.0 / wanted_s
        self._rate += rate - self._rates.get(name, 0.0)
        self._rates[name] = rate
        return max(wanted_s, min(wanted_s * self.stretch, self._settings.longest_s))

    def left(self, name: str) -> None:
        """An engine is no longer asked."""
        self._rate -= self._rates.pop(name, 0.0)
        if not self._rates:
            self._rate = 0.0

"""How long to wait before Pods that failed are replaced: longer each time, and not at all after a quiet while."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_S = 300.0
QUIET_S = 600.0
"""After so long without a failure the next one counts as the first again."""


@dataclass(slots=True)
class _Record:
    times: int = 0
    last_s: float = 0.0
    seen: set[str] = field(default_factory=set)


class Failures:
    """Failures by owner; kept in memory alone, so a restart begins anew.

    `first_at_once`: the first failure after a quiet while is answered without a pause.
    """

    def __init__(self, first_s: float = 1.0, longest_s: float = LONGEST_S, *, first_at_once: bool = True) -> None:
        self._first_s, self._longest_s, self._free = first_s, longest_s, int(first_at_once)
        self._records: dict[str, _Record] = {}

    def note(self, owner: str, failed: set[str], now_s: float) -> None:
        """Tell which Pods (by uid) have failed; those that are known already change nothing."""
        record = self._records.get(owner)
        if not failed and record is None:
            return
        record = self._records.setdefault(owner, _Record())
        if failed - record.seen:
            record.times = 1 if now_s - record.last_s > QUIET_S else record.times + 1
            record.last_s = now_s
        record.seen = failed

    def pause_s(self, owner: str, now_s: float) -> float:
        """How long to wait until Pods are replaced."""
        record = self._records.get(owner)
        if record is None or record.times <= self._free:
            return 0.0
        pause = min(self._longest_s, self._first_s * 2.0 ** (record.times - self._free - 1))
        return max(0.0, record.last_s + pause - now_s)

    def forget(self, owner: str) -> None:
        self._records.pop(owner, None)

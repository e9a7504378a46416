"""Endpoints that are ready but dead: noticed by what fails there, left out, and tried again later.

    in ── failures in a row ──> out ── back-off ends, or a probe is answered ──> due ── a request goes there ──> trial
     ^                           ^                                                                               │
     └────────── success ────────┼───────────────────────────────────────────────────────────────────────────────┤
                                 └── failure: back-off doubles ──────────────────────────────────────────────────┘

A trial that nothing is heard of for `trial_s` is due again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Standing(StrEnum):
    """What an endpoint may get."""

    IN = "in"
    OUT = "out"
    DUE = "due"
    """One request, as a trial."""
    TRIAL = "trial"
    """Nothing until the trial has ended."""


@dataclass(frozen=True, slots=True)
class EjectionSettings:
    """When an endpoint is left out, and for how long.

    Three failures in a row are no accident, and cost three retries. Back-offs begin short, because an engine that is
    restarted is wanted back, and a trial costs one retry.
    """

    failures: int = 3
    first_s: float = 1.0
    longest_s: float = 30.0
    trial_s: float = 10.0
    calm_s: float = 60.0
    """After so long without an ejection the back-off begins anew."""


@dataclass(slots=True)
class _Record:
    stage: str = ""
    failures: int = 0
    probes: int = 0  # probes that failed in a row
    times: int = 0  # ejections in a row
    out_since_s: float | None = None
    due_s: float = 0.0
    trial_since_s: float | None = None
    back_s: float = float("-inf")


class Ejections:
    """Pure: time is an argument. Tell it of every endpoint, and of what becomes of requests and probes there.

    Fail-open: where every endpoint of a stage is out, they all count as in, because trying a doubtful one is better
    than refusing.
    """

    def __init__(self, settings: EjectionSettings | None = None) -> None:
        self._settings = settings or EjectionSettings()
        self._records: dict[str, _Record] = {}
        self.doubtful: set[str] = set()
        """The endpoints at which something failed since the last success; `sent` and `succeeded` change no others."""

    def joined(self, name: str, stage: str = "") -> None:
        """An endpoint is there; endpoints of one stage (a role) can stand in for each other."""
        self._records.setdefault(name, _Record()).stage = stage

    def left(self, name: str) -> None:
        """An endpoint is gone: nothing of it is remembered."""
        self._records.pop(name, None)
        self.doubtful.discard(name)

    def failed(self, name: str, now: float) -> bool:
        """A request failed there: no connection, no answer in time, or a 5xx; whether that put it out."""
        record = self._records.get(name)
        if record is None:
            return False
        record.failures += 1
        self.doubtful.add(name)
        return self._judge(record, now)

    def succeeded(self, name: str, now: float) -> bool:
        """A request was answered there, also by a refusal that is the client's fault; whether that brought it back."""
        record = self._records.get(name)
        if record is None:
            return False
        record.failures = record.probes = 0
        self.doubtful.discard(name)
        if record.out_since_s is None:
            return False
        record.out_since_s = record.trial_since_s = None
        record.back_s = now
        return True

    def probe_failed(self, name: str, now: float) -> bool:
        """The endpoint could not be reached when it was scraped; whether that put it out.

        A scrape that is answered with an error is no failed probe: the engine lives.
        """
        record = self._records.get(name)
        if record is None:
            return False
        record.probes += 1
        self.doubtful.add(name)
        return record.out_since_s is None and self._judge(record, now)

    def probe_answered(self, name: str, now: float) -> None:
        """It can be reached. If it could not be before, a trial is due at once; failed requests are not forgiven."""
        record = self._records.get(name)
        if record is None:
            return
        if record.probes and record.out_since_s is not None:
            record.due_s = min(record.due_s, now)
        record.probes = 0

    def sent(self, name: str, now: float) -> bool:
        """A request goes there; whether it is the trial."""
        record = self._records.get(name)
        if record is None or self._standing(record, now) is not Standing.DUE:
            return False
        record.trial_since_s = now
        return True

    def standing(self, name: str, now: float) -> Standing:
        """What it may get by itself, whatever the others are."""
        record = self._records.get(name)
        return Standing.IN if record is None else self._standing(record, now)

    def out(self, now: float) -> frozenset[str]:
        """The endpoints that are to get no request now; never all of a stage."""
        shut: dict[str, list[str]] = {}
        open_stages: set[str] = set()
        for name, record in self._records.items():
            if self._standing(record, now) in (Standing.IN, Standing.DUE):
                open_stages.add(record.stage)
            else:
                shut.setdefault(record.stage, []).append(name)
        return frozenset(name for stage, names in shut.items() if stage in open_stages for name in names)

    def next_change_at(self, now: float) -> float | None:
        """When time alone will change what `out` says; None: it will not."""
        return min(self._changes(now), default=None)

    def _changes(self, now: float) -> Iterator[float]:
        for record in self._records.values():
            standing = self._standing(record, now)
            if standing is Standing.OUT:
                yield record.due_s
            elif standing is Standing.TRIAL and record.trial_since_s is not None:
                yield record.trial_since_s + self._settings.trial_s

    def _judge(self, record: _Record, now: float) -> bool:
        """Put it out if it has failed often enough; a trial that fails is enough."""
        settings = self._settings
        if record.out_since_s is not None:
            if self._standing(record, now) is Standing.OUT:
                return False  # a request from before it was put out
        elif record.failures + record.probes < settings.failures:
            return False
        record.times = 1 if now - record.back_s > settings.calm_s and record.out_since_s is None else record.times + 1
        record.out_since_s, record.trial_since_s = now, None
        record.due_s = now + min(settings.longest_s, settings.first_s * 2.0 ** min(record.times - 1, 30))
        record.failures = 0
        return True

    def _standing(self, record: _Record, now: float) -> Standing:
        if record.out_since_s is None:
            return Standing.IN
        if record.trial_since_s is not None and now < record.trial_since_s + self._settings.trial_s:
            return Standing.TRIAL
        return Standing.DUE if now >= record.due_s else Standing.OUT

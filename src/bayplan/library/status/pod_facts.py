"""What statuses need to know of a Pod, small enough to be counted: equal Pods are one entry of a tally."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.library.status.moments import seconds_of
from bayplan.manifests.marks import MOVING, REVISION, ROLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_REVISION_OF_SETS = "controller-revision-hash"
_MOST_REASONS = 3  # distinct reasons in one message: the next ones help nobody


class PodState(StrEnum):
    """Where a Pod is on its way."""

    WAITING = "waiting"
    """It has no worker yet."""
    STARTING = "starting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LEAVING = "leaving"
    """It is being deleted and has not ended yet, or another replica is made to take its place."""


LIVE = (PodState.WAITING, PodState.STARTING, PodState.RUNNING)
ENDED = (PodState.SUCCEEDED, PodState.FAILED)
_ENDED = {"Succeeded": PodState.SUCCEEDED, "Failed": PodState.FAILED}


class PodFacts(NamedTuple):
    """One Pod. `ready_at` is empty while it is not ready; `reason` and `message` say why it waits or what fails."""

    state: PodState
    ready_at: str = ""
    role: str = ""
    revision: str = ""
    reason: str = ""
    message: str = ""

    @property
    def live(self) -> bool:
        """Whether it counts as a replica: it neither ended nor is it being deleted."""
        return self.state in LIVE

    @property
    def ready(self) -> bool:
        return self.live and bool(self.ready_at)

    @property
    def bound(self) -> bool:
        return self.state in (PodState.STARTING, PodState.RUNNING)

    @property
    def fails(self) -> bool:
        """Whether its containers cannot be kept running."""
        return self.bound and not self.ready_at and bool(self.reason)


def facts_of(pod: Mapping[str, Any]) -> PodFacts:
    """The facts of a Pod as it is stored."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    labels = metadata.get("labels") or {}
    state = _state(pod, metadata, status)
    reason, message, ready_at = "", "", ""
    for each in status.get("conditions") or ():
        if each.get("type") == "Ready" and each.get("status") == "True":
            ready_at = each.get("lastTransitionTime") or "?"
        elif state is PodState.WAITING and each.get("type") == "PodScheduled" and each.get("status") == "False":
            reason, message = each.get("reason") or "", each.get("message") or ""
    if state is PodState.FAILED:
        reason, message = status.get("reason") or "", status.get("message") or ""
    elif state in LIVE and not ready_at and not reason:
        reason, message = _trouble(status)
    revision = labels.get(REVISION) or labels.get(_REVISION_OF_SETS) or ""
    return PodFacts(state, ready_at, labels.get(ROLE) or "", revision, reason, message)


def _state(pod: Mapping[str, Any], metadata: Mapping[str, Any], status: Mapping[str, Any]) -> PodState:
    phase = status.get("phase")
    if phase in _ENDED:
        return _ENDED[phase]
    if "deletionTimestamp" in metadata or MOVING in (metadata.get("annotations") or {}):
        return PodState.LEAVING
    if not (pod.get("spec") or {}).get("nodeName"):
        return PodState.WAITING
    return PodState.RUNNING if phase == "Running" else PodState.STARTING


_HARMLESS = frozenset({"ContainerCreating", "PodInitializing", ""})


def _trouble(status: Mapping[str, Any]) -> tuple[str, str]:
    """Why a container does not run: `CrashLoopBackOff` and its like."""
    for each in status.get("containerStatuses") or ():
        waiting = (each.get("state") or {}).get("waiting") or {}
        if (reason := waiting.get("reason") or "") not in _HARMLESS:
            return reason, waiting.get("message") or ""
    return "", ""


class Tally:
    """How many Pods of each sort there are."""

    __slots__ = ("counts",)

    def __init__(self, facts: Iterable[PodFacts] = ()) -> None:
        self.counts: Counter[PodFacts] = Counter(facts)

    @classmethod
    def sum(cls, tallies: Iterable[Tally]) -> Tally:
        """The Pods of several tallies."""
        whole = cls()
        for each in tallies:
            whole.counts.update(each.counts)
        return whole

    def add(self, facts: PodFacts) -> None:
        self.counts[facts] += 1

    def remove(self, facts: PodFacts) -> None:
        if self.counts[facts] <= 1:
            del self.counts[facts]
        else:
            self.counts[facts] -= 1

    def count(self, chosen: Callable[[PodFacts], bool]) -> int:
        return sum(number for facts, number in self.counts.items() if chosen(facts))

    def of(self, chosen: Callable[[PodFacts], bool]) -> Tally:
        """The Pods that are chosen, by themselves."""
        part = Tally()
        part.counts = Counter({facts: number for facts, number in self.counts.items() if chosen(facts)})
        return part

    def state(self, *states: PodState) -> int:
        return self.count(lambda facts: facts.state in states)

    @property
    def all(self) -> int:
        return self.counts.total()

    @property
    def live(self) -> int:
        return self.count(lambda facts: facts.live)

    @property
    def ready(self) -> int:
        return self.count(lambda facts: facts.ready)

    @property
    def bound(self) -> int:
        return self.count(lambda facts: facts.bound)

    @property
    def waiting(self) -> int:
        return self.state(PodState.WAITING)

    @property
    def failing(self) -> int:
        """Pods that crash again and again, or that failed for good."""
        return self.count(lambda facts: facts.fails or facts.state is PodState.FAILED)

    def available(self, now: float, after_s: float) -> int:
        """Pods that have been ready for `after_s` seconds."""
        if after_s <= 0:
            return self.ready
        return self.count(lambda facts: facts.ready and now - (seconds_of(facts.ready_at) or now) >= after_s)

    def next_available_s(self, now: float, after_s: float) -> float | None:
        """How long until one more Pod has been ready for long enough; None where time alone changes nothing."""
        if after_s <= 0:
            return None
        since = ((seconds_of(facts.ready_at) or now) for facts in self.counts if facts.ready)
        return min((left for each in since if (left := each + after_s - now) > 0), default=None)

    def reasons(self, chosen: Callable[[PodFacts], bool]) -> list[tuple[str, str, int]]:
        """Reason, message and number of Pods, the most frequent first."""
        found: Counter[tuple[str, str]] = Counter()
        for facts, number in self.counts.items():
            if chosen(facts) and (facts.reason or facts.message):
                found[facts.reason, facts.message] += number
        return [(*why, number) for why, number in sorted(found.items(), key=lambda each: (-each[1], each[0]))]


def listed(reasons: list[tuple[str, str, int]]) -> str:
    """Reasons in one line: `3 Pods: gpu-memory-short: …; 1 Pod: …`."""
    parts = [
        f"{number} Pod{'s' * (number > 1)}: {message or reason}" for reason, message, number in reasons[:_MOST_REASONS]
    ]
    left = sum(number for _, _, number in reasons[_MOST_REASONS:])
    return "; ".join([*parts, f"{left} for other reasons"] if left else parts)

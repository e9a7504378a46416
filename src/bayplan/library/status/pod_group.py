"""The status of a PodGroup: the phases of co-scheduling, as a function of its Pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, part, with_fields
from bayplan.library.status.moments import moment_text, seconds_of
from bayplan.library.status.pod_facts import PodState, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import PodFacts, Tally

PATIENCE_S = 48 * 3600
"""A group that has waited for longer has timed out."""
_FINAL = ("Finished", "Failed")
_WAITING = ("Pending", "Scheduling")
_OWNED = ("Scheduled", "TimedOut")


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """How many Pods a group has, and how far they are; Pods that are being deleted do not count."""

    pods: int
    running: int
    succeeded: int
    failed: int
    bound: int

    @classmethod
    def of(cls, pods: Tally) -> GroupCounts:
        left = pods.all - pods.state(PodState.LEAVING)
        running, succeeded, failed = map(pods.state, (PodState.RUNNING, PodState.SUCCEEDED, PodState.FAILED))
        return cls(left, running, succeeded, failed, pods.bound)

    def phase(self, before: str, minimum: int) -> str:
        """Where the group is: the first that holds. A phase that is final stays."""
        if before in _FINAL:
            return before
        if self.pods < minimum:
            return "Pending"
        if self.succeeded >= minimum:
            return "Finished"
        if self.failed and self.failed + self.running + self.succeeded >= minimum:
            return "Failed"
        return "Running" if self.running + self.succeeded >= minimum else "Scheduling"


def timed_out(phase: str, group: Mapping[str, Any], now: float | None) -> bool | None:
    """Whether a group that still waits was created more than 48 hours ago; None where a time is not known.

    A group without a time of creation is new.
    """
    created = seconds_of(part(group, "metadata").get("creationTimestamp"))
    if phase not in _WAITING or created is None:
        return False
    return None if now is None else now - created > PATIENCE_S


def timeout_s(group: Mapping[str, Any], now: float) -> float | None:
    """How long until a waiting group times out; None where time changes nothing."""
    created = seconds_of(part(group, "metadata").get("creationTimestamp"))
    left = None if created is None else created + PATIENCE_S - now
    return left + 0.001 if left is not None and left >= 0 else None


def pod_group_status(group: Mapping[str, Any], pods: Tally, minimum: int, now: float) -> Object:
    """The new status."""
    old, counts = part(group, "status"), GroupCounts.of(pods)
    phase = counts.phase(str(old.get("phase") or ""), minimum)
    began = old.get("scheduleStartTime") or (None if phase == "Pending" else moment_text(now))
    conditions = _conditions(group, phase, pods, counts, now)
    return with_fields(
        old,
        phase=phase,
        scheduled=counts.bound,
        running=counts.running,
        succeeded=counts.succeeded,
        failed=counts.failed,
        scheduleStartTime=began,
        conditions=with_conditions(conditions_of(group), conditions, _OWNED, moment_text(now)) or None,
    )


def _conditions(group: Mapping[str, Any], phase: str, pods: Tally, counts: GroupCounts, now: float) -> list[Condition]:
    found = []
    if live := pods.live:
        message = f"{live - pods.waiting} of {live} Pods have a place"
        reasons = pods.reasons(_is_refused)
        why = f"; {listed(reasons)}" if reasons else ""
        reason = reasons[0][0] if reasons else "Waiting" if pods.waiting else "Scheduled"
        found.append(Condition("Scheduled", not pods.waiting, reason, message + why))
    if timed_out(phase, group, now):
        message = f"{counts.pods} Pods have waited for more than {PATIENCE_S // 3600} hours"
        found.append(Condition("TimedOut", True, "Timeout", message))
    return found


def _is_refused(facts: PodFacts) -> bool:
    return facts.state is PodState.WAITING and bool(facts.reason)

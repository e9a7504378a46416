"""Replicas of a pool or workload: their phase, and why some of them are not ready."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.library.status.conditions import Condition
from bayplan.library.status.pod_facts import PodFacts, PodState, listed

if TYPE_CHECKING:
    from bayplan.library.status.pod_facts import Tally

OWNED = ("Ready", "Scheduled")
"""The types of conditions that are written here."""


class Phase(StrEnum):
    """Where a pool or workload is."""

    PENDING = "Pending"
    """No replica is ready yet."""
    SCALING = "Scaling"
    """Some replicas are ready, others start or go; nothing is wrong."""
    READY = "Ready"
    DEGRADED = "Degraded"
    """Some replicas are ready, and others cannot be placed or fail."""
    FAILED = "Failed"
    """No replica is ready, and those that were started fail; or the object cannot be read."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """How many replicas are wanted, and the Pods that there are; `problem` says why the object cannot be read."""

    desired: int
    pods: Tally
    problem: str = ""

    @property
    def phase(self) -> Phase:
        live, ready = self.pods.live, self.pods.ready
        if self.problem:
            return Phase.FAILED
        if ready >= self.desired:
            return Phase.READY if live <= self.desired else Phase.SCALING
        if ready:
            return Phase.DEGRADED if self.pods.failing or self._refused else Phase.SCALING
        starts = self.pods.count(_starts)
        return Phase.FAILED if self.pods.failing and not starts and not self.pods.waiting else Phase.PENDING

    @property
    def _refused(self) -> int:
        """Pods that wait although somebody looked for a place."""
        return self.pods.count(_is_refused)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        found = (self._ready(), self._scheduled())
        return tuple(each for each in found if each is not None)

    def _ready(self) -> Condition:
        live, ready = self.pods.live, self.pods.ready
        if self.problem:
            return Condition("Ready", False, "InvalidSpec", self.problem)
        if ready >= self.desired and live > self.desired:
            return Condition("Ready", True, "ScalingDown", f"{live - self.desired} replicas more than wanted are left")
        if ready >= self.desired:
            reason = "AllReplicasReady" if self.desired else "ScaledToZero"
            return Condition("Ready", True, reason, f"{ready} of {self.desired} replicas are ready")
        reason, why = self._not_ready(live)
        return Condition("Ready", False, reason, f"{ready} of {self.desired} replicas are ready{why}")

    def _not_ready(self, live: int) -> tuple[str, str]:
        """The worst thing that keeps replicas from being ready."""
        if self.pods.failing:
            return "ReplicasFail", f"; {listed(self.pods.reasons(_fails)) or 'some failed'}"
        if self._refused:
            return "Unschedulable", f"; {self.pods.waiting} wait for a place"
        if live < self.desired:
            return "Creating", f"; {self.desired - live} have no Pod yet"
        if self.pods.waiting:
            return "Waiting", f"; {self.pods.waiting} wait for a place"
        return "Starting", f"; {self.pods.bound - self.pods.ready} start"

    def _scheduled(self) -> Condition | None:
        """Whether every Pod has a place; nothing is said where there is no Pod."""
        live, waiting = self.pods.live, self.pods.waiting
        if not live:
            return None
        if not waiting:
            return Condition("Scheduled", True, "Scheduled", f"{live} of {live} Pods have a place")
        reasons = self.pods.reasons(_is_refused)
        message = f"{live - waiting} of {live} Pods have a place"
        if not reasons:
            return Condition("Scheduled", False, "Waiting", message)
        return Condition("Scheduled", False, reasons[0][0], f"{message}; {listed(reasons)}")


def _starts(facts: PodFacts) -> bool:
    return facts.bound and not facts.fails


def _fails(facts: PodFacts) -> bool:
    return facts.fails or facts.state is PodState.FAILED


def _is_refused(facts: PodFacts) -> bool:
    return facts.state is PodState.WAITING and bool(facts.reason)

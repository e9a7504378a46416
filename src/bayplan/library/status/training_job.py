"""How far a training job is: what its workers and its launcher say together, for all kinds of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, condition_of, holds
from bayplan.library.status.pod_facts import PodState
from bayplan.library.status.replicas import Replicas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import PodFacts, Tally

LAUNCHER = "launcher"
"""The role of the Pod that starts the training on all workers."""
MOST_LAUNCHES = 2
"""Launchers that may fail: the second failure is final, as with Alnair's backoffLimit of 1."""
MOST_FAILURES = 6
"""Workers of a job without a launcher that may fail, as in Kubernetes' Jobs; one more is final."""
OWNED = ("Scheduled", "Running", "Complete", "Failed")


class Stage(StrEnum):
    """Where a job is, in the words of UnifiedJob."""

    WAITING = "Waiting"
    """Its workers have no place."""
    PENDING = "Pending"
    """Its workers have places and start."""
    RUNNING = "Running"
    COMPLETE = "Complete"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What is asked for and what is there; a stage that was final once stays so.

    `workers` are the wanted ones. `launched`: the job has a launcher, whose end is the job's end.
    """

    document: Mapping[str, Any]
    workers: int
    launched: bool
    pods: Tally
    problem: str = ""

    @property
    def stage(self) -> Stage:
        if self.problem or holds(self.document, "Failed"):
            return Stage.FAILED
        if holds(self.document, "Complete"):
            return Stage.COMPLETE
        deciding = self.pods.of(_is_launcher) if self.launched else self.pods
        if deciding.state(PodState.SUCCEEDED) >= (1 if self.launched else max(1, self.workers)):
            return Stage.COMPLETE
        if deciding.state(PodState.FAILED) >= (MOST_LAUNCHES if self.launched else MOST_FAILURES + 1):
            return Stage.FAILED
        return self._on_the_way()

    def _on_the_way(self) -> Stage:
        workers = self.own_pods
        if workers.state(PodState.RUNNING, PodState.SUCCEEDED) >= self.workers > 0:
            return Stage.RUNNING
        return Stage.PENDING if workers.bound and not workers.waiting else Stage.WAITING

    @property
    def own_pods(self) -> Tally:
        """The workers alone."""
        return self.pods.of(lambda facts: not _is_launcher(facts))

    @property
    def finished(self) -> bool:
        return self.stage in (Stage.COMPLETE, Stage.FAILED)

    @property
    def conditions(self) -> list[Condition]:
        stage = self.stage
        if stage in (Stage.COMPLETE, Stage.FAILED):
            return [self._final(stage)]
        found = [each for each in Replicas(self.workers, self.own_pods).conditions if each.type == "Scheduled"]
        runs = self.own_pods.state(PodState.RUNNING)
        message = f"{runs} of {self.workers} workers run"
        return [*found, Condition("Running", stage is Stage.RUNNING, stage.value, message)]

    def _final(self, stage: Stage) -> Condition:
        """The end, in the words in which it was told first."""
        told = condition_of(self.document, stage.value)
        if told.get("status") == "True":
            return Condition(stage.value, True, str(told.get("reason", "")), str(told.get("message", "")))
        if self.problem:
            return Condition(stage.value, True, "InvalidSpec", self.problem)
        who = "the launcher" if self.launched else "its workers"
        if stage is Stage.COMPLETE:
            return Condition(stage.value, True, "Succeeded", f"{who} succeeded")
        failed = (self.pods.of(_is_launcher) if self.launched else self.pods).reasons(_has_failed)
        why = f": {failed[0][1] or failed[0][0]}" if failed else ""
        return Condition(stage.value, True, "BackoffLimitExceeded", f"{who} failed too often{why}")


def _is_launcher(facts: PodFacts) -> bool:
    return facts.role == LAUNCHER


def _has_failed(facts: PodFacts) -> bool:
    return facts.state is PodState.FAILED

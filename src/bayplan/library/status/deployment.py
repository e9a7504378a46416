"""The status of a Deployment, as `kubectl rollout status` and `kubectl wait` read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, condition_of, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, number, part, with_fields
from bayplan.library.status.moments import moment_text, seconds_of
from bayplan.library.status.pod_facts import PodState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import Tally

_OWNED = ("Available", "Progressing")
_DEADLINE = "ProgressDeadlineExceeded"
_DONE = "NewReplicaSetAvailable"


@dataclass(frozen=True, slots=True)
class Rollout:
    """What is there: the Pods of the present template under the name of their ReplicaSet, and all Pods."""

    replica_set: str
    updated: Tally
    all: Tally
    max_unavailable: int = 0


def deployment_status(deployment: Mapping[str, Any], rollout: Rollout, now: float) -> Object:
    """The new status."""
    spec = part(deployment, "spec")
    desired, ready_s = number(spec.get("replicas"), 1), number(spec.get("minReadySeconds"))
    live, available = rollout.all.live, rollout.all.available(now, ready_s)
    conditions = [
        _available(available, desired, rollout.max_unavailable),
        _progressing(deployment, rollout, available, now),
    ]
    return with_fields(
        part(deployment, "status"),
        observedGeneration=generation_of(deployment),
        replicas=live,
        updatedReplicas=rollout.updated.live,
        readyReplicas=rollout.all.ready,
        availableReplicas=available,
        unavailableReplicas=max(0, desired - available) or None,
        terminatingReplicas=rollout.all.state(PodState.LEAVING) or None,
        conditions=with_conditions(conditions_of(deployment), conditions, _OWNED, moment_text(now), updates=True),
    )


def deadline_s(deployment: Mapping[str, Any], now: float) -> float | None:
    """How long until a rollout that does not move is called late; None where none is under way."""
    told = condition_of(deployment, "Progressing")
    since = seconds_of(told.get("lastUpdateTime"))
    if since is None or told.get("reason") in (_DONE, _DEADLINE) or told.get("status") != "True":
        return None
    return max(0.0, since + _limit_s(deployment) - now) + 0.001


def _limit_s(deployment: Mapping[str, Any]) -> int:
    return number(part(deployment, "spec").get("progressDeadlineSeconds"), 600)


def _available(available: int, desired: int, max_unavailable: int) -> Condition:
    if available >= desired - max_unavailable:
        return Condition("Available", True, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    message = "Deployment does not have minimum availability."
    return Condition("Available", False, "MinimumReplicasUnavailable", message)


def _progressing(deployment: Mapping[str, Any], rollout: Rollout, available: int, now: float) -> Condition:
    """Whether the present template is on its way: the message names numbers, so that it changes with every step."""
    spec, name = part(deployment, "spec"), rollout.replica_set
    desired, updated, live = number(spec.get("replicas"), 1), rollout.updated.live, rollout.all.live
    if spec.get("paused"):
        return Condition("Progressing", None, "DeploymentPaused", "Deployment is paused")
    if not name:
        return Condition("Progressing", True, "ReplicaSetUpdated", "the ReplicaSet is being made")
    told = condition_of(deployment, "Progressing")
    was_done = told.get("reason") == _DONE and told.get("message") == _done(name).message
    if (updated == desired == live and available >= desired) or (was_done and live == updated):
        return _done(name)  # Pods that fail or are added after the rollout are no rollout
    numbers = f"{updated} of {desired} updated, {available} available, {live} in all"
    return _moving(deployment, told, f'ReplicaSet "{name}" is progressing: {numbers}', now)


def _moving(deployment: Mapping[str, Any], told: Mapping[str, Any], message: str, now: float) -> Condition:
    """A rollout under way; one that says the same for too long is late."""
    moved = seconds_of(told.get("lastUpdateTime"))
    same = moved is not None and told.get("message") in (message, _late(message))
    if same and (told.get("reason") == _DEADLINE or now - (moved or now) > _limit_s(deployment)):
        return Condition("Progressing", False, _DEADLINE, _late(message))
    return Condition("Progressing", True, "ReplicaSetUpdated", message)


def _done(name: str) -> Condition:
    return Condition("Progressing", True, _DONE, f'ReplicaSet "{name}" has successfully progressed.')


def _late(message: str) -> str:
    return message.replace("is progressing", "has timed out progressing", 1)

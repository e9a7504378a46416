"""Statuses of what makes Pods of a template: Deployments, ReplicaSets, StatefulSets and Jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import DEPLOYMENTS, JOBS, STATEFUL_SETS
from bayplan.control.controllers.deployments import new_set
from bayplan.control.controllers.rollout import Strategy
from bayplan.control.controllers.stateful_sets import revision_of
from bayplan.control.controllers.status_controller import StatusKind
from bayplan.library.status.deployment import Rollout, deadline_s as rollout_deadline_s, deployment_status
from bayplan.library.status.documents import number, part
from bayplan.library.status.job import deadline_s, job_status
from bayplan.library.status.pod_facts import Tally
from bayplan.library.status.replica_set import replica_set_status
from bayplan.library.status.stateful_set import stateful_set_status

if TYPE_CHECKING:
    from bayplan.control.controllers.owned_objects import OwnedObjects
    from bayplan.control.controllers.owned_pods import OwnedPods
    from bayplan.control.controllers.replica_sets import ReplicaSets
    from bayplan.control.store import Object


def replica_set_statuses(kind: ReplicaSets, pods: OwnedPods) -> StatusKind:
    """Statuses of ReplicaSets."""

    def status(owner: Object, now: float) -> Object:
        return replica_set_status(owner, _tally(pods, owner), now, kind.wish(owner).problem)

    def later(owner: Object, now: float) -> float | None:
        return _tally(pods, owner).next_available_s(now, _ready_s(owner))

    return StatusKind(kind.collection, status, later)


def deployment_statuses(sets: OwnedObjects, pods: OwnedPods) -> StatusKind:
    """Statuses of Deployments."""

    def rollout(owner: Object) -> Rollout:
        owned = sets.of(owner["metadata"]["uid"])
        new = new_set(owner, owned)
        everything = Tally.sum(_tally(pods, each) for each in owned)
        unavailable = Strategy.of(part(owner, "spec")).unavailable
        if new is None:
            return Rollout("", Tally(), everything, unavailable)
        return Rollout(new["metadata"]["name"], _tally(pods, new), everything, unavailable)

    def status(owner: Object, now: float) -> Object:
        return deployment_status(owner, rollout(owner), now)

    def later(owner: Object, now: float) -> float | None:
        ready_s = rollout(owner).all.next_available_s(now, _ready_s(owner))
        waits = (ready_s, rollout_deadline_s(owner, now))
        return min((each for each in waits if each is not None), default=None)

    return StatusKind(DEPLOYMENTS, status, later)


def stateful_set_statuses(pods: OwnedPods) -> StatusKind:
    """Statuses of StatefulSets."""

    def status(owner: Object, now: float) -> Object:
        return stateful_set_status(owner, _tally(pods, owner), revision_of(owner), now)

    def later(owner: Object, now: float) -> float | None:
        return _tally(pods, owner).next_available_s(now, _ready_s(owner))

    return StatusKind(STATEFUL_SETS, status, later)


def job_statuses(pods: OwnedPods) -> StatusKind:
    """Statuses of Jobs."""

    def status(owner: Object, now: float) -> Object:
        return job_status(owner, _tally(pods, owner), now)

    def later(owner: Object, now: float) -> float | None:
        left = deadline_s(owner, now)
        return left if left is not None and left > 0 else None

    return StatusKind(JOBS, status, later)


def _tally(pods: OwnedPods, owner: Object) -> Tally:
    return pods.of(owner["metadata"]["uid"]).tally


def _ready_s(owner: Object) -> int:
    return number(part(owner, "spec").get("minReadySeconds"))

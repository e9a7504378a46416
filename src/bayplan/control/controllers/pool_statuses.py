"""Statuses of what makes Pods of engines: pools, workloads and training jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import UNIFIED_JOBS
from bayplan.control.controllers.pod_templates import workload_label
from bayplan.control.controllers.status_controller import StatusKind
from bayplan.library.status.agent_pool import agent_pool_status
from bayplan.library.status.horovod_job import horovod_job_status
from bayplan.library.status.replicas import Replicas
from bayplan.library.status.unified_job import unified_job_status
from bayplan.library.status.workload import workload_status
from bayplan.manifests.marks import WORKLOAD

if TYPE_CHECKING:
    from bayplan.control.controllers.agent_pools import AgentPools
    from bayplan.control.controllers.node_facts import KnownNodes
    from bayplan.control.controllers.owned_pods import Group, OwnedPods
    from bayplan.control.controllers.training_jobs import TrainingJobs
    from bayplan.control.controllers.workloads import Workloads
    from bayplan.control.store import Object


def selector_text(owner: Object) -> str:
    """The labels of the Pods of a pool or workload."""
    return f"{WORKLOAD}={workload_label(owner)}"


def workload_statuses(kind: Workloads, pods: OwnedPods) -> StatusKind:
    """Statuses of Workloads."""

    def status(owner: Object, now: float) -> Object:
        return workload_status(owner, _replicas(kind, pods, owner), selector_text(owner), now)

    return StatusKind(kind.collection, status)


def agent_pool_statuses(kind: AgentPools, pods: OwnedPods, nodes: KnownNodes) -> StatusKind:
    """Statuses of AgentPools."""

    def status(owner: Object, now: float) -> Object:
        cost = usd_per_hour(pods.of(owner["metadata"]["uid"]), nodes)
        return agent_pool_status(owner, _replicas(kind, pods, owner), selector_text(owner), now, cost)

    return StatusKind(kind.collection, status)


def training_job_statuses(kind: TrainingJobs) -> StatusKind:
    """Statuses of one kind of training job."""

    def status(owner: Object, now: float) -> Object:
        job = kind.job(owner)
        if kind.collection == UNIFIED_JOBS:
            return unified_job_status(job, now)
        return horovod_job_status(job, selector_text(owner), kind.launcher(owner), now)

    return StatusKind(kind.collection, status)


def usd_per_hour(group: Group, nodes: KnownNodes) -> float | None:
    """What the Nodes of these Pods cost, each once and whole, as plans count it; None where a price is not known."""
    names = {pod["spec"]["nodeName"] for pod, _ in group.chosen(lambda facts: facts.bound)}
    prices = [nodes.get(name).usd_per_hour for name in names]
    known = [each for each in prices if each is not None]
    return sum(known) if known and len(known) == len(prices) else None


def _replicas(kind: Workloads | AgentPools, pods: OwnedPods, owner: Object) -> Replicas:
    wish = kind.wish(owner)
    return Replicas(wish.count, pods.of(owner["metadata"]["uid"]).tally, wish.problem)

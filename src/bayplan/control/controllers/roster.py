"""All controllers of a running system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control import collections as kinds
from bayplan.control.controllers.agent_pools import AgentPools
from bayplan.control.controllers.clusters import ClusterController
from bayplan.control.controllers.deployments import DeploymentController, deployment_of
from bayplan.control.controllers.group_statuses import GROUPS, disruption_budget_controller, pod_group_controller
from bayplan.control.controllers.jobs import JobController
from bayplan.control.controllers.labelled_pods import LabelledPods
from bayplan.control.controllers.neuronetes_statuses import (
    agent_class_controller,
    model_controller,
    tool_binding_controller,
)
from bayplan.control.controllers.node_facts import KnownNodes
from bayplan.control.controllers.owned_objects import OwnedObjects
from bayplan.control.controllers.owned_pods import OwnedPods
from bayplan.control.controllers.pod_writer import PodWriter
from bayplan.control.controllers.pool_statuses import agent_pool_statuses, training_job_statuses, workload_statuses
from bayplan.control.controllers.replica_controller import ReplicaController
from bayplan.control.controllers.replica_sets import ReplicaSets
from bayplan.control.controllers.stateful_sets import StatefulSetController
from bayplan.control.controllers.status_controller import StatusController
from bayplan.control.controllers.template_statuses import (
    deployment_statuses,
    job_statuses,
    replica_set_statuses,
    stateful_set_statuses,
)
from bayplan.control.controllers.training_jobs import TrainingJobs
from bayplan.control.controllers.workloads import Workloads
from bayplan.control.controllers.world import World, no_order
from bayplan.control.observing import UNOBSERVED
from bayplan.control.serving.roster import COLLECTIONS as OF_SERVING, serving_loops

if TYPE_CHECKING:
    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.controllers.replica_controller import ReplicaKind
    from bayplan.control.controllers.status_controller import StatusKind
    from bayplan.control.controllers.world import Loop, Removals
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Collection, Key, Store

_TRAINING = (kinds.ELASTIC_HOROVOD_JOBS, kinds.HOROVOD_JOBS, kinds.UNIFIED_JOBS)
COLLECTIONS: tuple[Collection, ...] = (
    kinds.NODES,
    kinds.PRIORITY_CLASSES,
    kinds.CLUSTERS,
    kinds.MODELS,
    kinds.AGENT_CLASSES,
    kinds.AGENT_POOLS,
    kinds.TOOL_BINDINGS,
    kinds.WORKLOADS,
    *_TRAINING,
    kinds.DEPLOYMENTS,
    kinds.REPLICA_SETS,
    kinds.STATEFUL_SETS,
    kinds.JOBS,
    kinds.POD_GROUPS,
    kinds.DISRUPTION_BUDGETS,
    kinds.PODS,
    *(each for each in OF_SERVING if each not in (kinds.STATEFUL_SETS, kinds.PODS)),
)
"""What the controllers read: the cache that they are given must have these."""


def controllers(
    store: Store,
    cache: Cache,
    events: EventRecorder,
    clock: Clock,
    removals: Removals = no_order,
    *,
    runtime: str = "none",
    observer: LoopObserver = UNOBSERVED,
) -> list[Loop]:
    """The loops, to be made before the cache is started and started after it has read everything.

    `runtime` says what runs the Pods of workers that Clusters declare (marks.RUNTIME).
    """
    pods, nodes = OwnedPods(cache), KnownNodes(cache)
    world = World(store, cache, events, clock, removals, pods, PodWriter(store, pods, events), observer)
    sets = OwnedObjects(cache, kinds.REPLICA_SETS)
    return [
        ClusterController(world, OwnedObjects(cache, kinds.NODES), runtime),
        *_engines(world, nodes),
        *_templates(world, sets),
        pod_group_controller(world, LabelledPods(cache, GROUPS)),
        disruption_budget_controller(world),
        model_controller(world, nodes),
        agent_class_controller(world),
        tool_binding_controller(world),
        *serving_loops(world),
    ]


def _engines(world: World, nodes: KnownNodes) -> list[Loop]:
    """Pools, workloads and training jobs, each with its status."""
    workloads, pools = Workloads(world.cache), AgentPools(world.cache)
    training = [TrainingJobs(each, world.cache, world.pods) for each in _TRAINING]
    statuses = [
        workload_statuses(workloads, world.pods),
        agent_pool_statuses(pools, world.pods, nodes),
        *map(training_job_statuses, training),
    ]
    makers: tuple[ReplicaKind, ...] = (workloads, pools, *training)
    return [*(ReplicaController(each, world) for each in makers), *(_of_owner(each, world) for each in statuses)]


def _templates(world: World, sets: OwnedObjects) -> list[Loop]:
    """Kinds of Kubernetes with a template of Pods, each with its status."""
    replica_sets = ReplicaSets(world.cache)
    statuses = [
        replica_set_statuses(replica_sets, world.pods),
        stateful_set_statuses(world.pods),
        job_statuses(world.pods),
    ]
    return [
        ReplicaController(replica_sets, world),
        DeploymentController(world, sets),
        StatefulSetController(world),
        JobController(world),
        *(_of_owner(each, world) for each in statuses),
        _of_deployments(world, sets),
    ]


def _of_owner(kind: StatusKind, world: World) -> StatusController:
    """Statuses of objects that own Pods: every change of a Pod may change them."""
    made = StatusController(kind, world)
    world.pods.listen(kind.collection, made.add)
    return made


def _of_deployments(world: World, sets: OwnedObjects) -> StatusController:
    """Statuses of Deployments, whose Pods their ReplicaSets own."""
    made = StatusController(deployment_statuses(sets, world.pods), world)

    def set_changed(owner: Key) -> None:
        if owner.collection == kinds.DEPLOYMENTS:
            made.add(owner)

    def pods_changed(replica_set: Key) -> None:
        if (owner := deployment_of(world.cache.get(replica_set))) is not None:
            made.add(owner)

    sets.listen(set_changed)
    world.pods.listen(kinds.REPLICA_SETS, pods_changed)
    return made

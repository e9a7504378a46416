"""The collections that the loops read and write, by the names of their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from bayplan.control.store import Collection


def _of(group: str, kind: str) -> Collection:
    found = REGISTRY.of_kind(group, kind)
    if found is None:
        raise LookupError(f"{kind} of {group}")  # the registry is part of this program
    return found.collection


NODES = _of("", "Node")
PODS = _of("", "Pod")
NAMESPACES = _of("", "Namespace")
CONFIG_MAPS = _of("", "ConfigMap")
SECRETS = _of("", "Secret")
DISRUPTION_BUDGETS = _of("policy", "PodDisruptionBudget")
PRIORITY_CLASSES = _of("scheduling.k8s.io", "PriorityClass")
RESOURCE_TOPOLOGIES = _of("topology.node.k8s.io", "NodeResourceTopology")
LEASES = _of("coordination.k8s.io", "Lease")
CLUSTERS = _of("bayplan.io", "Cluster")
SCHEDULER_CONFIGS = _of("bayplan.io", "SchedulerConfig")
WORKLOADS = _of("bayplan.io", "Workload")
SERVER_REPLICAS = _of("bayplan.io", "ServerReplica")
SERVED_MODELS = _of("mlops.seldon.io", "Model")
SERVERS = _of("mlops.seldon.io", "Server")
SERVER_CONFIGS = _of("mlops.seldon.io", "ServerConfig")
AGENT_POOLS = _of("neuronetes.io", "AgentPool")
AGENT_CLASSES = _of("neuronetes.io", "AgentClass")
MODELS = _of("neuronetes.io", "Model")
TOOL_BINDINGS = _of("neuronetes.io", "ToolBinding")
POD_GROUPS = _of("scheduling.x-k8s.io", "PodGroup")
ELASTIC_HOROVOD_JOBS = _of("ai.centauruscloud.io", "ElasticHorovodJob")
HOROVOD_JOBS = _of("ai.centauruscloud.io", "HorovodJob")
UNIFIED_JOBS = _of("ai.centauruscloud.io", "UnifiedJob")
DEPLOYMENTS = _of("apps", "Deployment")
REPLICA_SETS = _of("apps", "ReplicaSet")
STATEFUL_SETS = _of("apps", "StatefulSet")
JOBS = _of("batch", "Job")

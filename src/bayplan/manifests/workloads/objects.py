"""The objects of documents: lists are opened, and each object is identified by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.owners import api_group
from bayplan.manifests.values import what

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.manifests.paths import Step
    from bayplan.manifests.reader import Document

_DEEPEST_LIST = 4  # steps of a path: a list inside a list; deeper nesting is no object


class Kind(StrEnum):
    """The kinds that are understood, by their own names."""

    WORKLOAD = "Workload"
    CLUSTER = "Cluster"
    SCHEDULER_CONFIG = "SchedulerConfig"
    GPUSTACK_MODEL = "GPUStack model"
    POD = "Pod"
    POD_GROUP = "PodGroup"
    AGENT_POOL = "AgentPool"
    AGENT_CLASS = "AgentClass"
    MODEL = "Model"
    TOOL_BINDING = "ToolBinding"
    NODE = "Node"
    NODE_RESOURCE_TOPOLOGY = "NodeResourceTopology"
    POD_DISRUPTION_BUDGET = "PodDisruptionBudget"
    PRIORITY_CLASS = "PriorityClass"
    DEPLOYMENT = "Deployment"
    REPLICA_SET = "ReplicaSet"
    STATEFUL_SET = "StatefulSet"
    REPLICATION_CONTROLLER = "ReplicationController"
    JOB = "Job"
    CRON_JOB = "CronJob"
    JOB_SET = "JobSet"
    LEADER_WORKER_SET = "LeaderWorkerSet"
    PYTORCH_JOB = "PyTorchJob"
    MPI_JOB = "MPIJob"
    RAY_CLUSTER = "RayCluster"
    RAY_SERVICE = "RayService"
    RAY_JOB = "RayJob"
    VOLCANO_JOB = "Job of batch.volcano.sh"
    INFERENCE_SERVICE = "InferenceService"
    KNATIVE_SERVICE = "Service of serving.knative.dev"
    ELASTIC_HOROVOD_JOB = "ElasticHorovodJob"
    HOROVOD_JOB = "HorovodJob"
    UNIFIED_JOB = "UnifiedJob"
    SELDON_MODEL = "Model of mlops.seldon.io"
    SELDON_SERVER = "Server"
    SELDON_SERVER_CONFIG = "ServerConfig"
    INFERENCE_POOL = "InferencePool"
    INFERENCE_OBJECTIVE = "InferenceObjective"
    INFERENCE_MODEL_REWRITE = "InferenceModelRewrite"
    ENDPOINT_PICKER_CONFIG = "EndpointPickerConfig"
    OTHER = "another kind"


INVENTORY = (Kind.NODE, Kind.NODE_RESOURCE_TOPOLOGY, Kind.POD_DISRUPTION_BUDGET)
"""Kinds that describe the cluster and not a workload."""

_OUR_GROUP = "bayplan.io/"
_OF_THE_SYSTEM = frozenset({"ServerReplica"})
"""Kinds of our group that the system writes for itself: they are kept as they are."""
_OURS = (f"{_OUR_GROUP}v1alpha1",)
_NEURONETES = ("neuronetes.io/v1alpha1", "neuronetes.ai/v1alpha1")
_ALNAIR = "ai.centauruscloud.io"
_SELDON = "mlops.seldon.io"
_INFERENCE = "inference.networking.k8s.io"
_INFERENCE_EXTENSION = "inference.networking.x-k8s.io"
_LLM_D = "llm-d.ai"
VERSIONS: dict[Kind, tuple[str, ...]] = {
    Kind.WORKLOAD: _OURS,
    Kind.CLUSTER: _OURS,
    Kind.SCHEDULER_CONFIG: _OURS,
    Kind.POD: ("v1",),
    Kind.AGENT_POOL: _NEURONETES,
    Kind.AGENT_CLASS: _NEURONETES,
    Kind.MODEL: _NEURONETES,
    Kind.TOOL_BINDING: _NEURONETES,
    Kind.NODE: ("v1",),
    Kind.NODE_RESOURCE_TOPOLOGY: ("topology.node.k8s.io/v1alpha1", "topology.node.k8s.io/v1alpha2"),
    Kind.POD_DISRUPTION_BUDGET: ("policy/v1", "policy/v1beta1"),
}
"""The apiVersions under which these kinds are read; a GPUStack model has none."""

OF_GROUPS: dict[tuple[str, str], Kind] = {
    ("apps", "Deployment"): Kind.DEPLOYMENT,
    ("extensions", "Deployment"): Kind.DEPLOYMENT,
    ("apps", "ReplicaSet"): Kind.REPLICA_SET,
    ("extensions", "ReplicaSet"): Kind.REPLICA_SET,
    ("apps", "StatefulSet"): Kind.STATEFUL_SET,
    ("", "ReplicationController"): Kind.REPLICATION_CONTROLLER,
    ("batch", "Job"): Kind.JOB,
    ("batch", "CronJob"): Kind.CRON_JOB,
    ("jobset.x-k8s.io", "JobSet"): Kind.JOB_SET,
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Kind.LEADER_WORKER_SET,
    ("kubeflow.org", "PyTorchJob"): Kind.PYTORCH_JOB,
    ("kubeflow.org", "MPIJob"): Kind.MPI_JOB,
    ("ray.io", "RayCluster"): Kind.RAY_CLUSTER,
    ("ray.io", "RayService"): Kind.RAY_SERVICE,
    ("ray.io", "RayJob"): Kind.RAY_JOB,
    ("batch.volcano.sh", "Job"): Kind.VOLCANO_JOB,
    ("serving.kserve.io", "InferenceService"): Kind.INFERENCE_SERVICE,
    ("serving.knative.dev", "Service"): Kind.KNATIVE_SERVICE,
    (_ALNAIR, "ElasticHorovodJob"): Kind.ELASTIC_HOROVOD_JOB,
    (_ALNAIR, "HorovodJob"): Kind.HOROVOD_JOB,
    (_ALNAIR, "UnifiedJob"): Kind.UNIFIED_JOB,
    ("scheduling.x-k8s.io", "PodGroup"): Kind.POD_GROUP,
    ("scheduling.sigs.k8s.io", "PodGroup"): Kind.POD_GROUP,
    ("scheduling.volcano.sh", "PodGroup"): Kind.POD_GROUP,
    ("scheduling.run.ai", "PodGroup"): Kind.POD_GROUP,
    ("scheduling.k8s.io", "PriorityClass"): Kind.PRIORITY_CLASS,
}
"""Kinds of Kubernetes by API group and name; all versions of these have the same fields."""

STORED: dict[tuple[str, str], Kind] = {
    (_SELDON, "Model"): Kind.SELDON_MODEL,
    (_SELDON, "Server"): Kind.SELDON_SERVER,
    (_SELDON, "ServerConfig"): Kind.SELDON_SERVER_CONFIG,
    (_INFERENCE, "InferencePool"): Kind.INFERENCE_POOL,
    (_INFERENCE_EXTENSION, "InferencePool"): Kind.INFERENCE_POOL,
    **{
        (group, kind.value): kind
        for group in (_INFERENCE_EXTENSION, _INFERENCE, _LLM_D)
        for kind in (Kind.INFERENCE_OBJECTIVE, Kind.INFERENCE_MODEL_REWRITE)
    },
    (_INFERENCE_EXTENSION, "EndpointPickerConfig"): Kind.ENDPOINT_PICKER_CONFIG,
    (_LLM_D, "EndpointPickerConfig"): Kind.ENDPOINT_PICKER_CONFIG,
}
"""Kinds that are checked and kept, and that no plan looks at. They are known by API group and name together."""

_STORED = frozenset(STORED.values())

_BY_NAME: dict[str, Kind] = {
    **{name: kind for (group, name), kind in OF_GROUPS.items() if group != "serving.knative.dev"},
    "Job": Kind.JOB,
    **{kind.value: kind for kind in VERSIONS},
}
"""The kind by name alone, where apiVersion is missing. A Service is then that of Kubernetes, which is no workload."""

KNOWN_NAMES = frozenset(_BY_NAME)

_HOME = {name: group for (group, name), kind in reversed(OF_GROUPS.items()) if _BY_NAME.get(name) is kind}
"""The API group of a kind that does not name one."""

_STRICT = {kind.value: kind for kind in VERSIONS}


@dataclass(frozen=True, slots=True)
class Object:
    """One object of a document and its findings; `kind` is None where it cannot be identified.

    `written` is the kind as the document, or the list that it stands in, names it, and `group` its API group.
    """

    kind: Kind | None
    fields: Fields
    written: str = ""
    group: str = ""

    @property
    def findings(self) -> Findings:
        return self.fields.findings

    @property
    def is_stored(self) -> bool:
        """Whether it is only checked and kept."""
        return self.kind in _STORED

    @property
    def is_planned(self) -> bool:
        """Whether plans look at objects of this kind; the others are kept, or describe the cluster, or are not read."""
        return self.kind is not Kind.OTHER and self.kind not in INVENTORY and not self.is_stored


def objects_of(documents: Iterable[Document]) -> Iterator[Object]:
    """Every object in order; for a value that is no object the findings hold the problem."""
    for document in documents:
        for steps, data, typed in _opened(document.data, (), _UNTYPED):
            findings = Findings(document)
            fields = Fields(data, findings, steps)
            yield _object(fields, typed)


@dataclass(frozen=True, slots=True)
class _Typed:
    """Kind and apiVersion that the objects of a typed list need not repeat."""

    kind: str | None = None
    version: object = None


_UNTYPED = _Typed()


def _opened(data: Any, steps: tuple[Step, ...], typed: _Typed) -> Iterator[tuple[tuple[Step, ...], Any, _Typed]]:
    """The objects of lists, one by one; the items of a PodList need not state that they are Pods."""
    if isinstance(data, list | tuple) and len(steps) < _DEEPEST_LIST:
        for number, item in enumerate(data):
            yield from _opened(item, (*steps, number), typed)
    elif _is_list(data) and len(steps) < _DEEPEST_LIST:
        kind = (data.get("kind") or "").removesuffix("List")
        inner = _Typed(kind, data.get("apiVersion")) if kind else _UNTYPED
        yield from _opened(data["items"], (*steps, "items"), inner)
    else:
        yield steps, data, typed


def _is_list(data: Any) -> bool:
    """`kind: List`, `PodList` and their like."""
    if not isinstance(data, Mapping) or not isinstance(data.get("items"), list | tuple):
        return False
    kind = data.get("kind")
    return kind is None or (isinstance(kind, str) and kind.endswith("List"))


def _object(fields: Fields, typed: _Typed) -> Object:
    if fields.findings.errors:
        return Object(None, fields)
    kind, version = fields.raw("kind"), fields.raw("apiVersion")
    if kind is None and typed.kind is not None:
        kind, version = typed.kind, typed.version if version is None else version
    try:
        found = _guessed(fields) if kind is None else _named(kind, version)
    except InputError as error:
        fields.add(error.message, *filter(None, [error.place]), next=error.next)
        return Object(None, fields)
    if not isinstance(kind, str):
        return Object(found, fields, found.value)
    return Object(found, fields, kind, _HOME.get(kind, "") if version is None else api_group(version))


def _named(kind: object, version: object) -> Kind:
    """The kind by API group and name. A kind that is not read is OTHER if it names its group."""
    if not isinstance(kind, str):
        raise InputError(f"{what(kind)} is no kind", place="kind", next="write its name, such as Deployment")
    if version is not None and not isinstance(version, str):
        raise InputError(f"{what(version)} is no apiVersion", place="apiVersion", next="write it as apps/v1")
    if kind == Kind.ENDPOINT_PICKER_CONFIG:  # its own reader knows the versions
        return Kind.ENDPOINT_PICKER_CONFIG
    strict = _STRICT.get(kind)
    if strict is not None and (version is None or api_group(version) in _groups(strict)):
        return _checked(strict, version)
    known = (api_group(version), kind)
    found = _BY_NAME.get(kind) if version is None else OF_GROUPS.get(known) or STORED.get(known)
    if found is not None:
        return found
    if version is None or (version.startswith(_OUR_GROUP) and kind not in _OF_THE_SYSTEM):
        raise InputError(f"objects of kind {what(kind)} are not read", place="kind", next=did_you_mean(kind, _BY_NAME))
    return Kind.OTHER


def _checked(kind: Kind, version: str | None) -> Kind:
    """A kind whose fields depend on the version: only known versions are read."""
    versions = VERSIONS[kind]
    if version is not None and version not in versions:
        message = f"kind {kind} of {what(version)} is not read"
        raise InputError(message, place="apiVersion", next=f"write {' or '.join(versions)}")
    return kind


def _groups(kind: Kind) -> set[str]:
    return {api_group(version) for version in VERSIONS[kind]}


def _guessed(fields: Fields) -> Kind:
    """The kind of an object that does not name one, guessed from its fields."""
    version = fields.raw("apiVersion")
    if version is not None and version not in _OURS:
        raise InputError("is missing", place="kind", next=f"give the kind of {what(version)} this is")
    if "spec" in fields:
        return Kind.WORKLOAD
    if "source" in fields:
        return Kind.GPUSTACK_MODEL
    if "workers" in fields or "servers" in fields:
        return Kind.CLUSTER
    if any(key in fields for key in ("schedulingProfiles", "plugins", "scheduler")):
        return Kind.SCHEDULER_CONFIG
    known = ", ".join(what(key) for key in list(fields)[:5]) or "nothing"
    message = f"this document is not recognised: it has no kind, no spec and no source, only {known}"
    raise InputError(message, next="give a Workload with metadata and spec")

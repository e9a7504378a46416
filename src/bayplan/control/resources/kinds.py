"""Every kind of object that the API serves, in the order in which discovery lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.resources.resource_type import (
    BINDING,
    CREATE_ONLY,
    EVICTION,
    LOG,
    SCALE,
    STATUS,
    Api,
    ResourceType,
    Support,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTED, _STORED, _UNSUPPORTED = Support.ACTED_ON, Support.STORED, Support.UNSUPPORTED
_ALL = ("all",)
_OWN = ("bayplan",)


def _apis(*written: str) -> tuple[Api, ...]:
    """The APIs of texts as in `apiVersion`."""
    return tuple(Api(group, version) for group, _, version in (each.rpartition("/") for each in written))


def _core() -> Iterator[ResourceType]:
    v1 = _apis("v1")
    yield ResourceType("ConfigMap", "configmaps", v1, short_names=("cm",), support=_STORED, reason="kept for Pods")
    yield ResourceType(
        "Event",
        "events",
        _apis("v1", "events.k8s.io/v1"),
        short_names=("ev",),
        support=_STORED,
        reason="says what happened to an object",
    )
    yield ResourceType(
        "Namespace",
        "namespaces",
        v1,
        namespaced=False,
        short_names=("ns",),
        verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
        subresources=(STATUS,),
        reason="its deletion deletes what is in it",
    )
    yield ResourceType(
        "Node",
        "nodes",
        v1,
        namespaced=False,
        short_names=("no",),
        subresources=(STATUS,),
        reason="a worker: its devices are what is given out",
    )
    yield ResourceType(
        "Pod",
        "pods",
        v1,
        short_names=("po",),
        categories=_ALL,
        subresources=(STATUS, BINDING, EVICTION, LOG),
        reason="placed where schedulerName is bayplan or one of Alnair's names; any other counts as a booking",
    )
    yield ResourceType("Secret", "secrets", v1, support=_STORED, reason="kept for Pods; never shown in logs or records")
    yield ResourceType(
        "ServiceAccount", "serviceaccounts", v1, short_names=("sa",), support=_STORED, reason="kept for Pods"
    )
    yield ResourceType(
        "Service",
        "services",
        v1,
        short_names=("svc",),
        categories=_ALL,
        subresources=(STATUS,),
        support=_STORED,
        reason="no traffic is routed by it",
    )


def _built_in() -> Iterator[ResourceType]:
    apps = _apis("apps/v1")
    scaled = (STATUS, SCALE)
    makes_pods = "makes Pods of its template"
    yield ResourceType(
        "Deployment", "deployments", apps, True, ("deploy",), _ALL, subresources=scaled, reason=makes_pods
    )
    yield ResourceType("ReplicaSet", "replicasets", apps, True, ("rs",), _ALL, subresources=scaled, reason=makes_pods)
    yield ResourceType(
        "StatefulSet", "statefulsets", apps, True, ("sts",), _ALL, subresources=scaled, reason=makes_pods
    )
    yield ResourceType("Job", "jobs", _apis("batch/v1"), categories=_ALL, subresources=(STATUS,), reason=makes_pods)
    yield ResourceType(
        "PriorityClass",
        "priorityclasses",
        _apis("scheduling.k8s.io/v1"),
        namespaced=False,
        short_names=("pc",),
        reason="the number behind priorityClassName",
    )
    yield ResourceType(
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        _apis("policy/v1", "policy/v1beta1"),
        short_names=("pdb",),
        subresources=(STATUS,),
        reason="limits preemption and eviction",
    )
    yield ResourceType(
        "Lease", "leases", _apis("coordination.k8s.io/v1"), support=_STORED, reason="kept for its holders"
    )
    yield ResourceType(
        "CustomResourceDefinition",
        "customresourcedefinitions",
        _apis("apiextensions.k8s.io/v1"),
        namespaced=False,
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        subresources=(STATUS,),
        support=_STORED,
        reason="the kinds of the known groups are built in; a definition of one changes nothing",
    )


def _reviews() -> Iterator[ResourceType]:
    access, identity = _apis("authorization.k8s.io/v1"), _apis("authentication.k8s.io/v1")
    for kind, apis in (
        ("SelfSubjectAccessReview", access),
        ("SelfSubjectRulesReview", access),
        ("SelfSubjectReview", identity),
    ):
        plural = kind.lower() + "s"
        yield ResourceType(kind, plural, apis, namespaced=False, verbs=CREATE_ONLY, reason="answered and not kept")


def _own() -> Iterator[ResourceType]:
    own = _apis("bayplan.io/v1alpha1")
    yield ResourceType(
        "Workload",
        "workloads",
        own,
        short_names=("wl",),
        categories=(*_ALL, *_OWN),
        subresources=(STATUS, SCALE),
        reason="replicas that get GPUs",
    )
    yield ResourceType(
        "Cluster",
        "clusters",
        own,
        namespaced=False,
        short_names=("cl",),
        categories=_OWN,
        subresources=(STATUS,),
        reason="its workers become Nodes, and its bookings Pods that hold them",
    )
    yield ResourceType(
        "SchedulerConfig",
        "schedulerconfigs",
        own,
        namespaced=False,
        short_names=("sc",),
        categories=_OWN,
        subresources=(STATUS,),
        reason="the profiles of a scheduler",
    )
    yield ResourceType(
        "ServerReplica",
        "serverreplicas",
        own,
        short_names=("sr",),
        categories=_OWN,
        subresources=(STATUS,),
        reason="one replica of a Server, with the models that are booked on it; written by the system",
    )


def _neuronetes() -> Iterator[ResourceType]:
    apis = _apis("neuronetes.io/v1alpha1", "neuronetes.ai/v1alpha1")
    group = ("neuronetes",)
    yield ResourceType(
        "AgentPool",
        "agentpools",
        apis,
        short_names=("ap",),
        categories=(*_ALL, *group),
        subresources=(STATUS, SCALE),
        reason="replicas of an agent class that get GPUs",
    )
    yield ResourceType(
        "AgentClass",
        "agentclasses",
        apis,
        short_names=("ac",),
        categories=group,
        subresources=(STATUS,),
        reason="gives its pools a model and service levels; guardrails and tools are not enforced",
    )
    yield ResourceType(
        "Model",
        "models",
        apis,
        short_names=("mdl",),
        categories=group,
        subresources=(STATUS,),
        reason="the size and the caches of the weights that pools need",
    )
    yield ResourceType(
        "ToolBinding",
        "toolbindings",
        apis,
        short_names=("tb",),
        categories=group,
        subresources=(STATUS,),
        reason="the queue whose lag scales a pool; no messages are moved",
    )


def _training() -> Iterator[ResourceType]:
    scheduling = _apis("scheduling.x-k8s.io/v1alpha1", "scheduling.sigs.k8s.io/v1alpha1")
    yield ResourceType(
        "PodGroup",
        "podgroups",
        scheduling,
        short_names=("pg", "pgs"),
        subresources=(STATUS,),
        reason="Pods that are placed together or not at all",
    )
    yield ResourceType(
        "ElasticQuota",
        "elasticquotas",
        scheduling,
        short_names=("eq", "eqs"),
        subresources=(STATUS,),
        support=_UNSUPPORTED,
        reason="quotas of namespaces are not kept",
    )
    yield ResourceType(
        "NodeResourceTopology",
        "noderesourcetopologies",
        _apis("topology.node.k8s.io/v1alpha2", "topology.node.k8s.io/v1alpha1"),
        namespaced=False,
        short_names=("node-res-topo",),
        reason="the NUMA zones of a worker",
    )
    alnair = _apis("ai.centauruscloud.io/v1alpha1")
    placed = "its workers are placed as a gang"
    status = (STATUS,)
    yield ResourceType(
        "ElasticHorovodJob", "elastichorovodjobs", alnair, True, ("ehjob",), subresources=status, reason=placed
    )
    yield ResourceType("HorovodJob", "horovodjobs", alnair, True, ("hjob",), subresources=status, reason=placed)
    yield ResourceType("UnifiedJob", "unifiedjobs", alnair, True, ("ujob",), subresources=status, reason=placed)


def _seldon() -> Iterator[ResourceType]:
    apis = _apis("mlops.seldon.io/v1alpha1")
    group = ("seldon",)
    scaled = (STATUS, SCALE)
    yield ResourceType(
        "Model", "models", apis, True, ("mlm",), group, subresources=scaled, reason="loaded onto replicas of a Server"
    )
    yield ResourceType(
        "Server", "servers", apis, True, ("mls",), group, subresources=scaled, reason="its replicas load Models"
    )
    yield ResourceType(
        "ServerConfig",
        "serverconfigs",
        apis,
        True,
        ("mlc",),
        group,
        subresources=(STATUS,),
        reason="the template of the Pods of Servers",
    )
    for kind, short, reason in (
        ("Pipeline", "mlp", "data does not flow between models here"),
        ("Experiment", "mle", "traffic is not split between models here"),
        ("SeldonRuntime", "mlr", "the components of Seldon are not installed here"),
        ("SeldonConfig", "mlsc", "the components of Seldon are not installed here"),
    ):
        yield ResourceType(
            kind,
            kind.lower() + "s",
            apis,
            short_names=(short,),
            categories=group,
            subresources=(STATUS,),
            support=_UNSUPPORTED,
            reason=reason,
        )


def _inference() -> Iterator[ResourceType]:
    extension = "inference.networking.x-k8s.io"
    group = ("inference",)
    used = "checked and kept; gateways that are started with --server --pool follow it"
    status = (STATUS,)
    alpha = _apis(f"{extension}/v1alpha2", f"{extension}/v1alpha1")  # the first releases said v1alpha1
    yield ResourceType(
        "InferencePool",
        "inferencepools",
        _apis("inference.networking.k8s.io/v1"),
        short_names=("infpool",),
        categories=group,
        subresources=status,
        support=_STORED,
        reason=used,
    )
    yield ResourceType(
        "InferencePool",
        "inferencepools",
        alpha,
        short_names=("xinfpool",),
        categories=group,
        subresources=status,
        support=_STORED,
        reason=used,
    )
    both = _apis(f"{extension}/v1alpha2", "llm-d.ai/v1alpha2")
    for kind, short in (("InferenceObjective", "infobj"), ("InferenceModelRewrite", "infmodelrewrite")):
        yield ResourceType(
            kind,
            kind.lower() + "s",
            both,
            short_names=(short,),
            categories=group,
            subresources=status,
            support=_STORED,
            reason=used,
        )
    yield ResourceType(
        "EndpointPickerConfig",
        "endpointpickerconfigs",
        _apis(f"{extension}/v1alpha1", "llm-d.ai/v1alpha1"),
        short_names=("epc",),
        categories=group,
        support=_STORED,
        reason="checked and kept; gateways are given their configuration as a file",
    )
    yield ResourceType(
        "InferenceModel",
        "inferencemodels",
        alpha,
        short_names=("infmodel",),
        categories=group,
        subresources=status,
        support=_UNSUPPORTED,
        reason="replaced by InferenceObjective and InferenceModelRewrite",
    )
    yield ResourceType(
        "InferencePoolImport",
        "inferencepoolimports",
        _apis(f"{extension}/v1alpha1"),
        short_names=("infpimp",),
        categories=group,
        subresources=status,
        support=_UNSUPPORTED,
        reason="pools of other clusters are not reached",
    )


KINDS: tuple[ResourceType, ...] = (
    *_core(),
    *_built_in(),
    *_reviews(),
    *_own(),
    *_neuronetes(),
    *_training(),
    *_seldon(),
    *_inference(),
)

CUSTOM_GROUPS = frozenset(
    api.group for each in (*_own(), *_neuronetes(), *_training(), *_seldon(), *_inference()) for api in each.apis
)
"""Groups whose kinds would be CustomResourceDefinitions on Kubernetes; a definition in any other group is refused."""

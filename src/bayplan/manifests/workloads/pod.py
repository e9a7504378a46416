"""One v1 Pod, as it asks for a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.workload import Preemption, Shape, Workload, WorkloadId
from bayplan.manifests.native.labels import read_tolerations
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import name, priority, text, word_of
from bayplan.manifests.workloads.node_affinity import read_pod_selector
from bayplan.manifests.workloads.pod_resources import read_pod_request

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

GROUP_LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")

_STRATEGIES = {"alnair-cost-saving": "vgpu-cost-saving", "alnair-high-performance": "vgpu-high-performance"}
_PREEMPTS = "PreemptLowerPriority"
_NOT_LOOKED_AT = {
    "topologySpreadConstraints": "write spreadOver in a Workload",
    "resourceClaims": "ask for cards under resources",
    "resources": "give each container its resources",
    "nodeName": "leave it out if a place is wanted",
}
_NOT_ABOUT_PLACEMENT = (
    "activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers"
    " hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets os readinessGates"
    " restartPolicy runtimeClassName securityContext serviceAccount serviceAccountName setHostnameAsFQDN"
    " shareProcessNamespace subdomain terminationGracePeriodSeconds volumes"
)


@dataclass(frozen=True, slots=True)
class PodRead:
    """A Pod, the group that it belongs to, and whether anything still holds it back."""

    id: WorkloadId
    shape: Shape
    group: str | None
    gated: bool
    preemption: Preemption

    @property
    def alone(self) -> Workload:
        """The Pod as a workload of its own; one that is held back wants no place yet."""
        return Workload(self.id, self.shape, replicas=0 if self.gated else 1, preemption=self.preemption)


def collect_pod(fields: Fields) -> PodRead:
    """A Pod as far as it can be read."""
    fields.ignore("apiVersion", "kind", "status")
    spec = fields.child("spec")
    if "containers" not in spec:
        spec.add("is missing", "containers", next="give at least one container")
    request = read_pod_request(spec)
    policy = spec.read("preemptionPolicy", word_of((_PREEMPTS, "Never")), "Never")
    pod = PodRead(
        id=read_id(fields, _priority(spec)),
        shape=Shape(
            gpus=request.gpus,
            cpu_milli=request.cpu_milli,
            ram_mib=request.ram_mib,
            selector=read_pod_selector(spec),
            tolerations=read_tolerations(spec),
            strategy=_strategy(spec),
            containers=request.containers,
            guaranteed=request.guaranteed,
        ),
        group=_group(fields.child("metadata")),
        gated=_gated(spec),
        preemption=Preemption.LOWER_PRIORITY if policy == _PREEMPTS else Preemption.NEVER,
    )
    _finish(spec)
    fields.finish()
    return pod


def _priority(spec: Fields) -> int:
    if "priorityClassName" in spec and "priority" not in spec:
        message = "the number behind a priority class is not known here; 0 counts"
        spec.warn(message, "priorityClassName", next="write priority beside it")
    spec.ignore("priorityClassName")
    return spec.read("priority", priority, 0)


def _strategy(spec: Fields) -> str:
    """Alnair's two schedulers are its two policies; any other name is that of a scheduler we stand in for."""
    return _STRATEGIES.get(spec.read("schedulerName", text, ""), "pack")


def _group(metadata: Fields) -> str | None:
    labels = metadata.child("labels")
    return next((found for label in GROUP_LABELS if (found := labels.read(label, name))), None)


def _gated(spec: Fields) -> bool:
    gates = [gate.read("name", text, "") for gate in spec.children("schedulingGates")]
    if gates:
        message = f"the Pod is held back by {', '.join(gates)} and wants no place yet"
        spec.warn(message, "schedulingGates", next="remove the gates to place it")
    return bool(gates)


def _finish(spec: Fields) -> None:
    for key, following in _NOT_LOOKED_AT.items():
        if key in spec:
            spec.warn("is not looked at", key, next=following)
        spec.ignore(key)
    spec.ignore(*_NOT_ABOUT_PLACEMENT.split())
    spec.finish()

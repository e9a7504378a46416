"""The request of a Pod, alone or as the template of a controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.workload import GpuRequest, Shape
from bayplan.framework.errors import InputError
from bayplan.manifests.finding import A_PREFERENCE
from bayplan.manifests.kai import CARDS, FRACTION, MEMORY, read_share
from bayplan.manifests.native.labels import read_tolerations
from bayplan.manifests.pod_groups import GANG_ANNOTATION, GANG_LABEL, GROUP_ANNOTATIONS, GROUP_LABELS
from bayplan.manifests.values import name, text
from bayplan.manifests.workloads.neighbours import NO_NEIGHBOURS, Neighbours, read_neighbours
from bayplan.manifests.workloads.node_affinity import read_allowed_workers
from bayplan.manifests.workloads.parallel_flags import NOTHING_KNOWN, Flagged, read_flagged
from bayplan.manifests.workloads.pod_resources import read_pod_request
from bayplan.manifests.workloads.priority_class import read_priority

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.workload import Preemption
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_STRATEGIES = {"alnair-cost-saving": "vgpu-cost-saving", "alnair-high-performance": "vgpu-high-performance"}
_OF_THE_RUNTIME = (
    "activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers"
    " hostAliases hostIPC hostPID hostUsers hostname hostnameOverride imagePullSecrets readinessGates"
    " restartPolicy securityContext serviceAccount serviceAccountName setHostnameAsFQDN"
    " shareProcessNamespace subdomain terminationGracePeriodSeconds volumes"
)
_OF_A_CONTAINER = (
    "args command env envFrom image imagePullPolicy lifecycle livenessProbe name readinessProbe resizePolicy"
    " restartPolicyRules securityContext startupProbe stdin stdinOnce targetContainerName terminationMessagePath"
    " terminationMessagePolicy tty volumeDevices volumeMounts workingDir"
)
_LEFT_OF_A_POD = tuple(_OF_THE_RUNTIME.split())
_LEFT_OF_A_CONTAINER = frozenset(_OF_A_CONTAINER.split())
_READ_OF_A_CONTAINER = frozenset({"ports", "resources", "restartPolicy"})

PREFERRED_TOPOLOGY = "kueue.x-k8s.io/podset-preferred-topology"
REQUIRED_TOPOLOGY = (
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
)


@dataclass(frozen=True, slots=True)
class Template:
    """One Pod: its shape, its priority, its group, and whether a scheduling gate holds it back.

    `flagged` is what the flags of its engine say about cards; the controller's reader compares it with all its Pods.
    """

    shape: Shape
    priority: int
    preemption: Preemption
    group: str | None = None
    gated: bool = False
    flagged: Flagged | None = None
    neighbours: Neighbours = NO_NEIGHBOURS

    @property
    def cards(self) -> int:
        """How many cards one Pod requests."""
        gpus = self.shape.gpus
        return 0 if gpus is None else gpus.count or 0


def read_template(
    metadata: Fields,
    spec: Fields,
    classes: PriorityClasses,
    more: Sequence[Fields] = (),
    variables: Mapping[str, str] = NOTHING_KNOWN,
) -> Template:
    """A Pod as far as it can be read.

    `more` are containers outside of `containers`; `variables` are environment variables that the controller sets.
    """
    if "containers" not in spec and not more:
        spec.add("is missing", "containers", next="give at least one container")
    containers = [*more, *spec.children("containers")]
    request = read_pod_request(spec, containers)
    gpus, unclear = _kai_share(metadata, request.gpus)
    priority, preemption = read_priority(spec, classes)
    allowed = read_allowed_workers(spec)
    template = Template(
        shape=Shape(
            gpus=gpus,
            cpu_milli=request.cpu_milli,
            ram_mib=request.ram_mib,
            selector=allowed.selector,
            tolerations=read_tolerations(spec),
            strategy=_strategy(spec),
            containers=request.containers,
            guaranteed=request.guaranteed,
            resources=request.resources,
            unknown=_joined(request.unknown or unclear, allowed.unknown, _topology(metadata), _gang(metadata)),
        ),
        priority=priority,
        preemption=preemption,
        group=_group(metadata),
        gated=_gated(spec),
        flagged=read_flagged(containers, variables),
        neighbours=read_neighbours(metadata, spec, containers),
    )
    for container in (*spec.children("containers"), *spec.children("initContainers")):
        container.leave_to_runtime(key for key in container if key in _LEFT_OF_A_CONTAINER)
        container.leave_others(_READ_OF_A_CONTAINER)
    _finish(spec)
    return template


def _joined(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def _kai_share(metadata: Fields, gpus: GpuRequest | None) -> tuple[GpuRequest | None, str]:
    """The share of KAI's annotations, else the request of the containers; or why it is not understood."""
    annotations = metadata.child("annotations")
    written = {key: value for key in (FRACTION, MEMORY, CARDS) if (value := annotations.read(key, text))}
    try:
        share = read_share(written, "")
    except InputError as error:
        return gpus, f"the annotation {error.place.removeprefix('.')}: {error.message}; {error.next}"
    if share is None:
        return gpus, ""
    if gpus is not None:
        message = f"the containers ask for cards and the annotations {FRACTION} or {MEMORY} for a part of one"
        return gpus, f"{message}; ask for one of the two"
    share_of_cards = GpuRequest(
        count=share.cards,
        runtime="cuda",
        memory_mib=share.memory_mib,
        fraction=share.fraction,
        compute_milli=share.compute_milli,
    )
    return share_of_cards, ""


def _topology(metadata: Fields) -> str:
    """Kueue's demand that all Pods of a set are in one domain."""
    annotations = metadata.child("annotations")
    if PREFERRED_TOPOLOGY in annotations:
        annotations.warn_ignored(PREFERRED_TOPOLOGY, A_PREFERENCE)
    return "; ".join(
        f"the annotation {key} is not followed; leave it out, or write a Workload with gang.within"
        for key in REQUIRED_TOPOLOGY
        if key in annotations
    )


def _gang(metadata: Fields) -> str:
    """The demand to be placed together with Pods that no PodGroup counts."""
    labels, annotations = metadata.child("labels"), metadata.child("annotations")
    named = ((labels, "label", GANG_LABEL), (annotations, "annotation", GANG_ANNOTATION))
    return "; ".join(
        f"the {noun} {key} is not followed; make a PodGroup, and name it with the label {GROUP_LABELS[0]}"
        for texts, noun, key in named
        if key in texts
    )


def _strategy(spec: Fields) -> str:
    """The strategy: the two schedulers of Alnair are its two policies; any other scheduler name is ignored."""
    return _STRATEGIES.get(spec.read("schedulerName", text, ""), "pack")


def _group(metadata: Fields) -> str | None:
    labels, annotations = metadata.child("labels"), metadata.child("annotations")
    marks = (*((labels, key) for key in GROUP_LABELS), *((annotations, key) for key in GROUP_ANNOTATIONS))
    return next((found for texts, key in marks if (found := texts.read(key, name))), None)


def _gated(spec: Fields) -> bool:
    gates = [gate.read("name", text, "") for gate in spec.children("schedulingGates")]
    if gates:
        message = f"the Pod is held back by {', '.join(gates)} and is not placed yet"
        spec.warn(message, "schedulingGates", next="remove the gates to place it")
    return bool(gates)


def warn_of_claims(owner: Fields, key: str) -> None:
    """Warn of volume claims: a volume may be reachable from some Nodes only, and no workload document says which."""
    owner.warn("which nodes reach these volumes is not known", key, next="write nodeSelector if only some do")


def _finish(spec: Fields) -> None:
    runtime = spec.read("runtimeClassName", text)
    if runtime is not None:
        message = f"the overhead and the nodes of RuntimeClass {runtime!r} are not known"
        spec.warn(message, "runtimeClassName", next="write overhead and nodeSelector if it has them")
    if any(each for each in spec.children("volumes") if "persistentVolumeClaim" in each or "ephemeral" in each):
        warn_of_claims(spec, "volumes")
    spec.leave_to_runtime(_LEFT_OF_A_POD)
    spec.finish()

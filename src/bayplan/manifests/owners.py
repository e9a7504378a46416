"""Which object controls which, among the objects of a cluster or of a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_GROUP_NAME = "leaderworkerset.sigs.k8s.io/name"
_GROUP_INDEX = "leaderworkerset.sigs.k8s.io/group-index"
_JOB_SET = "jobset.sigs.k8s.io/jobset-name"
_INFERENCE_SERVICE = "serving.kserve.io/inferenceservice"
_KNATIVE_SERVICE = "serving.knative.dev/service"
_WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
_RAY_NODE = "ray.io/node-type"
_ROLES = (
    "ray.io/group",
    "volcano.sh/task-spec",
    "training.kubeflow.org/replica-type",
    "jobset.sigs.k8s.io/replicatedjob-name",
)
_COMPONENT = "component"
_OTHER_COMPONENTS = ("transformer", "explainer")
TEMPLATE_HASH = "pod-template-hash"

_GANGS = frozenset(
    {
        ("ai.centauruscloud.io", "HorovodJob"),
        ("batch.volcano.sh", "Job"),
        ("jobset.x-k8s.io", "JobSet"),
        ("kubeflow.org", "MPIJob"),
        ("kubeflow.org", "PyTorchJob"),
        ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
        ("ray.io", "RayCluster"),
        ("ray.io", "RayJob"),
        ("ray.io", "RayService"),
    }
)
"""Controllers whose Pods are of no use without each other."""


@dataclass(frozen=True, slots=True)
class Who:
    """The identity of a Kubernetes object."""

    group: str
    kind: str
    namespace: str
    name: str

    @property
    def is_gang(self) -> bool:
        return (self.group, self.kind) in _GANGS


@dataclass(frozen=True, slots=True)
class Owned:
    """The workload of a Pod, and its name: each group of a LeaderWorkerSet is a workload of its own."""

    who: Who
    workload: str


def api_group(version: object) -> str:
    """The API group of an apiVersion; empty for the core group."""
    return version.rpartition("/")[0] if isinstance(version, str) else ""


def controller_of(metadata: Mapping[str, Any], namespace: str) -> Who | None:
    """The controller that an object names; malformed references are skipped.

    The kubelet names the Node as the controller of static Pods; these are not replicas of anything.
    """
    references = metadata.get("ownerReferences")
    for each in references if isinstance(references, list | tuple) else ():
        if isinstance(each, dict) and each.get("controller") is True:
            kind, name = each.get("kind"), each.get("name")
            if isinstance(kind, str) and isinstance(name, str) and name and kind != "Node":
                return Who(api_group(each.get("apiVersion")), kind, namespace, name)
    return None


def told_by_labels(labels: Mapping[str, Any], namespace: str) -> Owned | None:
    """The owner that a Pod's labels name: it is above the controllers to which the owner references lead."""

    def owned(group: str, kind: str, name: str, workload: str = "") -> Owned:
        return Owned(Who(group, kind, namespace, name), workload or name)

    def text(key: str) -> str:
        value = labels.get(key)
        return value if isinstance(value, str) else ""

    if (name := text(_GROUP_NAME)) and (index := text(_GROUP_INDEX)):
        return owned("leaderworkerset.x-k8s.io", "LeaderWorkerSet", name, f"{name}-{index}")
    if name := text(_JOB_SET):
        return owned("jobset.x-k8s.io", "JobSet", name)
    if (name := text(_INFERENCE_SERVICE)) and text(_COMPONENT) not in _OTHER_COMPONENTS:
        return owned("serving.kserve.io", "InferenceService", name)
    if not text(_INFERENCE_SERVICE) and (name := text(_KNATIVE_SERVICE)):
        return owned("serving.knative.dev", "Service", name)
    return None


def role_of(labels: Mapping[str, Any]) -> str:
    """The role label that controllers with several kinds of Pods write; empty where there is none."""
    if (index := labels.get(_WORKER_INDEX)) is not None:
        return "leader" if index == "0" else "worker"
    if labels.get(_RAY_NODE) == "head":
        return "head"
    return next((value for key in _ROLES if isinstance(value := labels.get(key), str) and value), "")


class Owners:
    """The controllers of known objects; a controller may itself be missing from the objects."""

    def __init__(self) -> None:
        self._controllers: dict[Who, Who | None] = {}

    def add(self, who: Who, controller: Who | None) -> None:
        """Record an object and its controller."""
        self._controllers[who] = controller

    def chain(self, controller: Who | None, template_hash: object) -> Iterator[Who]:
        """The controller and all above it, nearest first.

        An unknown ReplicaSet NAME-HASH belongs to the Deployment NAME if the Pod has a label with the same hash.
        """
        seen: set[Who] = set()
        while controller is not None and controller not in seen:
            seen.add(controller)
            yield controller
            if controller in self._controllers:
                controller = self._controllers[controller]
            else:
                controller = _deployment_of(controller, template_hash)

    def owner_of(self, labels: Mapping[str, Any], controller: Who | None, namespace: str) -> Owned | None:
        """The workload of a Pod; None where the Pod has no controller."""
        if told := told_by_labels(labels, namespace):
            return told
        last = None
        for last in self.chain(controller, labels.get(TEMPLATE_HASH)):  # noqa: B007 (the last one is wanted)
            pass
        return None if last is None else Owned(last, last.name)


def _deployment_of(controller: Who, template_hash: object) -> Who | None:
    if controller.kind != "ReplicaSet" or not isinstance(template_hash, str) or not template_hash:
        return None
    name = controller.name.removesuffix(f"-{template_hash}")
    if not name or name == controller.name:
        return None
    return Who(controller.group, "Deployment", controller.namespace, name)

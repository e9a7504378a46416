"""Server and ServerConfig of `mlops.seldon.io`: together they say what a server offers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bayplan.cluster.server import Server
from bayplan.manifests.native.server import MOST_REPLICAS, read_capabilities, unique
from bayplan.manifests.serving.replica_range import ReplicaRange, read_replica_range
from bayplan.manifests.serving.seldon_object import is_being_deleted, read_object
from bayplan.manifests.values import capacity_mib_of_bytes, count, flag, name, text
from bayplan.manifests.workloads.checks import anything, check, needed, one, rows
from bayplan.manifests.workloads.pod_resources import read_pod_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

CAPABILITIES = "SELDON_SERVER_CAPABILITIES"
OVERCOMMIT = "SELDON_OVERCOMMIT_PERCENTAGE"
MEMORY = "MEMORY_REQUEST"

STOCK: Mapping[str, tuple[str, ...]] = {
    "mlserver": (
        "mlserver", "alibi-detect", "alibi-explain", "huggingface", "lightgbm", "mlflow", "python", "sklearn",
        "spark-mlib", "xgboost",
    ),
    "triton": ("triton", "dali", "fil", "onnx", "openvino", "python", "pytorch", "tensorflow", "tensorrt"),
}  # fmt: skip
"""What the two configurations that Seldon installs offer, where their documents are not given."""

_SERVER: Table = {"serverConfig": needed(name), "disableAutoUpdate": one(flag)}
_OF_THE_PODS = ("imageOverrides", "deploymentStrategy", "statefulSetPersistentVolumeClaimRetentionPolicy")


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What the containers of a Pod template say: their environment, their memory, and whose memory counts.

    Of an environment variable that several containers have, the first counts.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    memory_mib: Mapping[str, int] = field(default_factory=dict)
    measured: str | None = None


@dataclass(frozen=True, slots=True)
class SeldonServer:
    """A Server document; `capabilities` are None where it leaves them to its configuration."""

    id: WorkloadId
    config: str
    capabilities: tuple[str, ...] | None
    extra: tuple[str, ...]
    pods: PodFacts
    replicas: ReplicaRange
    deleted: bool

    def server(self, config: PodFacts | None) -> Server:
        """The server with what its ServerConfig adds; None where that is not known."""
        sources = (self.pods,) if config is None else (self.pods, config)
        env = {key: value for pods in reversed(sources) for key, value in pods.env.items()}
        offered = self.capabilities
        if offered is None:
            stock = STOCK.get(self.config, ()) if config is None else ()
            offered = tuple(env[CAPABILITIES].split(",")) if CAPABILITIES in env else stock
        bare = Server(
            self.id.name,
            capabilities=unique((*offered, *self.extra)),
            memory_mib=_memory_mib(sources),
            overcommit_percent=count(env.get(OVERCOMMIT, "0")),
            min_replicas=self.replicas.least,
            max_replicas=self.replicas.most,
            expected=0 if self.deleted else None,
        )
        return replace(bare, replicas=tuple(map(bare.replica, range(self.replicas.wanted))))

    @property
    def is_stock(self) -> bool:
        """Whether the configuration is one that Seldon installs."""
        return self.config in STOCK


@dataclass(frozen=True, slots=True)
class SeldonServerConfig:
    """A ServerConfig document: the template of servers."""

    key: WorkloadKey
    pods: PodFacts


def collect_seldon_server(fields: Fields) -> SeldonServer:
    """A server as far as it can be read."""
    identity, spec = read_object(fields)
    check(spec, _SERVER if "spec" in fields else {})
    own = read_capabilities(spec, "capabilities")
    server = SeldonServer(
        identity,
        config=spec.read("serverConfig", text, ""),
        capabilities=own if "capabilities" in spec else None,
        extra=read_capabilities(spec, "extraCapabilities"),
        pods=_pods(spec),
        replicas=read_replica_range(spec),
        deleted=is_being_deleted(fields),
    )
    if (number := server.replicas.wanted) > MOST_REPLICAS:
        spec.add(f"{number} replicas are too many", "replicas", next=f"write at most {MOST_REPLICAS:,}")
    spec.leave_to_runtime(_OF_THE_PODS)
    spec.finish()
    return server


def collect_seldon_server_config(fields: Fields) -> SeldonServerConfig:
    """The template of servers."""
    identity, spec = read_object(fields)
    if "podSpec" not in spec and "spec" in fields:
        spec.add("is missing", "podSpec", next="give the template of its Pods")
    pods = _pods(spec)
    check(spec, {"volumeClaimTemplates": rows({"name": needed(name), "spec": anything, "metadata": anything})})
    spec.leave_to_runtime(("volumeClaimTemplates",))
    spec.finish()
    return SeldonServerConfig(identity.key, pods)


def _pods(spec: Fields) -> PodFacts:
    """What the containers ask for must be readable; the rest is for whatever runs the Pods."""
    pod = spec.child("podSpec")
    read_pod_request(pod)
    spec.leave_to_runtime(("podSpec",))
    env: dict[str, str] = {}
    memory_mib: dict[str, int] = {}
    measured: str | None = None
    for container in pod.children("containers"):
        own = container.read("name", text, "")
        found = container.child("resources").child("requests").read("memory", capacity_mib_of_bytes)
        if found is not None:
            memory_mib.setdefault(own, found)
        for variable in container.children("env"):
            key = variable.read("name", text, "")
            if key == OVERCOMMIT:
                variable.read("value", count)  # a problem of the document, and not of the server
            if (value := variable.read("value", text)) is not None:
                env.setdefault(key, value)
            if key == MEMORY and measured is None:
                measured = variable.child("valueFrom").child("resourceFieldRef").read("containerName", text)
    return PodFacts(env, memory_mib, measured)


def _memory_mib(sources: tuple[PodFacts, ...]) -> int | None:
    measured = next((pods.measured for pods in sources if pods.measured is not None), None)
    if measured is None:
        return None
    return next((pods.memory_mib[measured] for pods in sources if measured in pods.memory_mib), None)

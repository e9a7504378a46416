"""AgentPools ask for replicas that serve the model of their class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import AGENT_CLASSES, AGENT_POOLS
from bayplan.control.controllers.engine_pods import engine_set
from bayplan.control.controllers.known_wishes import KnownWishes
from bayplan.control.controllers.pod_templates import workload_label
from bayplan.control.controllers.wish import Wish, label_value
from bayplan.control.store import Key
from bayplan.library.status.documents import part
from bayplan.manifests.marks import WORKLOAD
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache
    from bayplan.control.store import Collection, Object

POOL_LABEL, CLASS_LABEL, MODEL_LABEL = (f"neuronetes.io/{each}" for each in ("pool", "agent-class", "model"))
_OF_A_REPLICA = ("gpuRequirements", "migProfile")


class AgentPools:
    """How AgentPools ask for Pods."""

    collection = AGENT_POOLS
    neighbours: tuple[Collection, ...] = (AGENT_CLASSES,)
    keeps_ended = False

    def __init__(self, cache: Cache) -> None:
        self._cache, self._known = cache, KnownWishes(cache)

    def refers_to(self, owner: Object, neighbour: Key) -> bool:
        return class_key(owner) == neighbour

    def wish(self, owner: Object) -> Wish:
        return self._known.of(owner, self._read, self._model(owner))

    def _read(self, owner: Object) -> Wish:
        read = read_workloads([Document(owner, f"AgentPool {owner['metadata']['name']}")])[0].workload
        spec, model = part(owner, "spec"), self._model(owner)
        identity = {key: spec[key] for key in _OF_A_REPLICA if spec.get(key) is not None}
        wanted = engine_set(
            owner,
            self._cache,
            count=read.replicas,
            fields={"backend": part(spec, "backend")},
            priority=read.id.priority,
            model=model,
            labels=_labels(owner, model),
            identity=identity,
        )
        return Wish((wanted,), together=read.gang is not None)

    def _model(self, owner: Object) -> str | None:
        """The model that the pool's class names; None while there is no such class."""
        found = self._cache.get(class_key(owner))
        name: Any = part(found or {}, "spec", "modelRef").get("name")
        return name if isinstance(name, str) and name else None

    def adopts(self, owner: Object, labels: Mapping[str, str]) -> bool:
        return labels.get(WORKLOAD) == workload_label(owner)

    def workload(self, owner: Object) -> str:
        return str(owner["metadata"]["name"])


def class_key(pool: Mapping[str, Any]) -> Key:
    """The AgentClass that a pool refers to."""
    reference = part(pool, "spec", "agentClassRef")
    namespace = reference.get("namespace") or part(pool, "metadata").get("namespace", "")
    return Key(AGENT_CLASSES, str(namespace), str(reference.get("name") or ""))


def _labels(pool: Object, model: str | None) -> dict[str, str]:
    """The labels that the guides of NeuroNetes promise."""
    found = {POOL_LABEL: pool["metadata"]["name"], CLASS_LABEL: class_key(pool).name, MODEL_LABEL: model or ""}
    return {key: label_value(value) for key, value in found.items() if value}

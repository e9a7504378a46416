"""Workloads ask for replicas of their own shape, or for members of several roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import WORKLOADS
from bayplan.control.controllers.engine_pods import engine_set
from bayplan.control.controllers.known_wishes import KnownWishes
from bayplan.control.controllers.pod_templates import workload_label
from bayplan.control.controllers.wish import Wanted, Wish
from bayplan.library.status.documents import part
from bayplan.manifests.marks import WORKLOAD
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.workload import Shape, Workload
    from bayplan.control.cache import Cache
    from bayplan.control.store import Collection, Key, Object


class Workloads:
    """How Workloads ask for Pods."""

    collection = WORKLOADS
    neighbours: tuple[Collection, ...] = ()
    keeps_ended = False

    def __init__(self, cache: Cache) -> None:
        self._cache, self._known = cache, KnownWishes(cache)

    def refers_to(self, owner: Object, neighbour: Key) -> bool:
        return False

    def wish(self, owner: Object) -> Wish:
        return self._known.of(owner, self._read)

    def _read(self, owner: Object) -> Wish:
        read = read_workloads([Document(owner, f"Workload {owner['metadata']['name']}")])[0].workload
        spec = part(owner, "spec")
        written = {each.get("name"): each for each in spec.get("roles") or () if isinstance(each, dict)}
        sets = [self._set(owner, read, name or "", count, shape, {**spec, **written.get(name, {})})
                for name, count, shape in read.shapes]  # fmt: skip
        return Wish(tuple(sets), together=read.gang is not None)

    def _set(
        self, owner: Object, read: Workload, role: str, count: int, shape: Shape, fields: dict[str, Any]
    ) -> Wanted:
        own = next((each.priority for each in read.roles if each.name == role), None)
        priority = read.id.priority if own is None else own
        model = None if shape.model is None else model_text(fields, shape)
        return engine_set(owner, self._cache, count=count, fields=fields, priority=priority, role=role, model=model)

    def adopts(self, owner: Object, labels: Mapping[str, str]) -> bool:
        return labels.get(WORKLOAD) == workload_label(owner)

    def workload(self, owner: Object) -> str:
        return str(owner["metadata"]["name"])


def model_text(fields: Mapping[str, Any], shape: Shape) -> str | None:
    """The model as an engine is told it: where its files are, else its name."""
    path = part(fields, "model").get("path")
    if isinstance(path, str) and path:
        return path
    return None if shape.model is None else shape.model.name

"""ReplicaSets ask for copies of their template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import REPLICA_SETS
from bayplan.control.controllers.known_wishes import KnownWishes
from bayplan.control.controllers.pod_templates import new_pod
from bayplan.control.controllers.references import controller_reference
from bayplan.control.controllers.selectors import selects
from bayplan.control.controllers.wish import Wanted, Wish
from bayplan.library.status.documents import number, part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache
    from bayplan.control.store import Collection, Key, Object


class ReplicaSets:
    """How ReplicaSets ask for Pods."""

    collection = REPLICA_SETS
    neighbours: tuple[Collection, ...] = ()
    keeps_ended = False

    def __init__(self, cache: Cache) -> None:
        self._cache, self._known = cache, KnownWishes(cache)

    def refers_to(self, owner: Object, neighbour: Key) -> bool:
        return False

    def wish(self, owner: Object) -> Wish:
        return self._known.of(owner, self._read)

    def _read(self, owner: Object) -> Wish:
        spec = part(owner, "spec")
        return Wish((Wanted("", number(spec.get("replicas"), 1), new_pod(owner, part(spec, "template"), self._cache)),))

    def adopts(self, owner: Object, labels: Mapping[str, str]) -> bool:
        return selects(part(owner, "spec", "selector"), labels)

    def workload(self, owner: Object) -> str:
        """The Deployment, where there is one: the planner knows all Pods of a Deployment as one workload."""
        above = controller_reference(owner)
        return str(above["name"] if above else owner["metadata"]["name"])

"""The stored objects of one moment, as invariants look at them."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bayplan.cluster.ledger import Ledger
from bayplan.framework.errors import BayplanError
from bayplan.library.applied_clusters import without_applied
from bayplan.manifests.inventory.inventory import Inventory, read_inventory
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Object = dict[str, Any]

_INVENTORY = ("Node", "Pod", "PodDisruptionBudget", "PriorityClass", "NodeResourceTopology", "Cluster", "ReplicaSet")
_GANGS = ("PodGroup", "Workload", "AgentPool", "HorovodJob", "ElasticHorovodJob", "UnifiedJob")
KINDS = (*_INVENTORY, *_GANGS, "Lease", "ServerReplica")
"""The kinds that invariants look at: all objects of these kinds belong to a complete view."""

UNREADABLE = "the cluster cannot be read"
_OVER = ("Succeeded", "Failed")


class StoredObjects:
    """Objects by kind; what is made of them is made once, when it is first asked for.

    A caller with a ledger of its own, such as a scheduling loop, hands it in: then that ledger is what is judged.
    """

    def __init__(self, objects: Iterable[Mapping[str, Any]], ledger: Ledger | None = None) -> None:
        self._by_kind: dict[str, list[Object]] = defaultdict(list)
        for each in objects:
            self._by_kind[each.get("kind", "")].append(dict(each))
        self._ledger = ledger

    def of(self, *kinds: str) -> list[Object]:
        """All objects of these kinds."""
        return [each for kind in kinds for each in self._by_kind.get(kind, ())]

    @cached_property
    def bound_pods(self) -> list[Object]:
        """The Pods that have a node, ended or not."""
        return [each for each in self.of("Pod") if (each.get("spec") or {}).get("nodeName")]

    @cached_property
    def holding_pods(self) -> list[Object]:
        """The Pods that hold something: bound and not ended."""
        return [each for each in self.bound_pods if (each.get("status") or {}).get("phase") not in _OVER]

    def holding_on(self, worker: str) -> list[Object]:
        """The Pods that hold something on a worker."""
        return self._by_worker.get(worker, [])

    @cached_property
    def _by_worker(self) -> dict[str, list[Object]]:
        found: dict[str, list[Object]] = defaultdict(list)
        for pod in self.holding_pods:
            found[pod["spec"]["nodeName"]].append(pod)
        return dict(found)

    @cached_property
    def nodes(self) -> dict[str, Object]:
        """The Nodes by name."""
        return {each["metadata"]["name"]: each for each in self.of("Node")}

    @cached_property
    def gangs(self) -> list[Object]:
        """The objects that may say how many members a gang needs."""
        return self.of(*_GANGS)

    @cached_property
    def _read(self) -> Inventory | BayplanError:
        waiting = {id(each) for each in self.of("Pod")} - {id(each) for each in self.bound_pods}
        given = [each for each in self.of(*_INVENTORY) if id(each) not in waiting]
        try:
            return read_inventory(Document(each, name_of(each)) for each in without_applied(given))
        except BayplanError as error:
            return error

    @property
    def inventory(self) -> Inventory | None:
        """The cluster of these objects; None where one of them cannot be read."""
        return self._read if isinstance(self._read, Inventory) else None

    @property
    def problem(self) -> BayplanError | None:
        """Why the cluster cannot be read."""
        return self._read if isinstance(self._read, BayplanError) else None

    @cached_property
    def ledger(self) -> Ledger | None:
        """The caller's ledger, else one made of the objects; None where they cannot be read."""
        if self._ledger is not None or self.inventory is None:
            return self._ledger
        return Ledger.of(self.inventory.cluster)


def name_of(document: Mapping[str, Any]) -> str:
    """An object as sentences name it: `Node w1`, `Pod team/chat`."""
    metadata = document.get("metadata") or {}
    name = f"{metadata['namespace']}/{metadata.get('name')}" if metadata.get("namespace") else metadata.get("name")
    return f"{document.get('kind')} {name}"


def annotation_of(document: Mapping[str, Any], name: str) -> str | None:
    """An annotation, where the object has it as text."""
    value = ((document.get("metadata") or {}).get("annotations") or {}).get(name)
    return value if isinstance(value, str) else None


def number_in(document: Mapping[str, Any], name: str) -> int | None:
    """An annotation that is a whole number; None where it is missing or is none."""
    value = (annotation_of(document, name) or "").strip()
    digits = value.removeprefix("-")
    return int(value) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None


_MOST_DIGITS = 18  # what 64 bits hold; a hostile annotation may have a million

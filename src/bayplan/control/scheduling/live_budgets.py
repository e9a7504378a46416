"""How many replicas of workloads must stay, as PodDisruptionBudgets and Clusters say; kept up to date from the cache.

Pods are followed only in namespaces that have a budget, and counted again only where one of them came, went or changed
its labels: a plan that may evict must not read tens of thousands of Pods.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import CLUSTERS, DISRUPTION_BUDGETS, PODS
from bayplan.framework.errors import BayplanError
from bayplan.manifests.inventory.disruption_budget import budgets_of, read_disruption_budget, read_live_pod
from bayplan.manifests.inventory.inventory import read_inventory, strictest
from bayplan.manifests.inventory.kinds import entries_of
from bayplan.manifests.inventory.notes import Notes
from bayplan.manifests.inventory.pod_owners import PodOwners
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.booking import Budget
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object
    from bayplan.manifests.inventory.disruption_budget import DisruptionBudget, LivePod
    from bayplan.manifests.inventory.entry import Entry

BUDGETS_CHANGED = "budgets-changed"
"""An event of the cluster: more or fewer Pods may be evicted than before."""

_ABOUT_A_POD = ("name", "namespace", "labels", "annotations", "ownerReferences")
_ENDED = ("Succeeded", "Failed")
_log = logging.getLogger("bayplan.scheduling")


class LiveBudgets:
    """`current` is worked out when it is asked for."""

    collections = (PODS, DISRUPTION_BUDGETS, CLUSTERS)

    def __init__(self, cache: Cache, changed: Callable[[], None]) -> None:
        self._cache, self._changed = cache, changed
        self._limits: dict[str, dict[str, DisruptionBudget]] = {}  # by namespace and name
        self._pods: dict[str, dict[str, LivePod]] = {}  # of the namespaces that have limits, once they were read
        self._kept: dict[str, list[Budget]] = {}
        self._own: dict[str, tuple[Budget, ...]] = {}
        self._stale: set[str] = set()
        cache.listen(PODS, self._pod_seen)
        cache.listen(DISRUPTION_BUDGETS, self._limit_seen)
        cache.listen(CLUSTERS, self._cluster_seen)

    def current(self) -> tuple[Budget, ...]:
        """The budgets as things are now; where several are about one workload, the strictest."""
        for namespace in self._stale:
            self._count(namespace)
        self._stale.clear()
        own = [budget for each in self._own.values() for budget in each]
        return strictest(own, [budget for each in self._kept.values() for budget in each])

    def _count(self, namespace: str) -> None:
        limits = self._limits.get(namespace)
        if not limits:
            self._kept.pop(namespace, None)
            self._pods.pop(namespace, None)
            return
        if namespace not in self._pods:
            found = {each["metadata"]["name"]: _live(each) for each in self._cache.all(PODS, namespace)}
            self._pods[namespace] = {name: each for name, each in found.items() if each is not None}
        self._kept[namespace] = budgets_of([*limits.values()], self._pods[namespace].values(), (), Notes())

    def _limit_seen(self, seen: Seen) -> None:
        if _said(seen.old, "spec") == _said(seen.new, "spec"):
            return  # its status changes with every Pod
        key, limits = seen.key, self._limits.setdefault(seen.key.namespace, {})
        read = None if seen.new is None else _limit(seen.new)
        if read is None:
            limits.pop(key.name, None)
        else:
            limits[key.name] = read
        if not limits:
            del self._limits[key.namespace]
        self._note(key.namespace)

    def _pod_seen(self, seen: Seen) -> None:
        pods = self._pods.get(seen.key.namespace)
        if pods is None or _alike(seen.old, seen.new):
            return
        live = None if seen.new is None else _live(seen.new)
        if live is None:
            pods.pop(seen.key.name, None)
        else:
            pods[seen.key.name] = live
        self._note(seen.key.namespace)

    def _cluster_seen(self, seen: Seen) -> None:
        if _said(seen.old, "budgets") == _said(seen.new, "budgets"):
            return
        self._own.pop(seen.key.name, None)
        if budgets := _said(seen.new, "budgets"):
            try:
                document = Document({"kind": "Cluster", "budgets": budgets}, f"Cluster {seen.key.name}")
                self._own[seen.key.name] = read_inventory([document]).cluster.budgets
            except BayplanError as error:
                _log.warning("the budgets of Cluster %s do not count: %s", seen.key.name, error)
        self._changed()

    def _note(self, namespace: str) -> None:
        self._stale.add(namespace)
        self._changed()


def _said(document: Object | None, field: str) -> Any:
    return None if document is None else document.get(field)


def _alike(old: Object | None, new: Object | None) -> bool:
    """Whether a Pod counts for budgets as it did before; one that was bound by us has other annotations by now."""
    if old is None or new is None or _is_over(old) != _is_over(new):
        return False
    return all(old["metadata"].get(each) == new["metadata"].get(each) for each in _ABOUT_A_POD)


def _is_over(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _limit(document: Object) -> DisruptionBudget | None:
    try:
        return read_disruption_budget(_entry(document), Notes())
    except BayplanError as error:
        metadata = document["metadata"]
        _log.warning("PodDisruptionBudget %s/%s does not count: %s", metadata["namespace"], metadata["name"], error)
        return None


def _live(pod: Object) -> LivePod | None:
    """The Pod as budgets see it; None where it has ended, or cannot be read."""
    if _is_over(pod):
        return None
    told = {key: value for key, value in pod["metadata"].items() if key in _ABOUT_A_POD}  # the rest is not kept alive
    try:
        live = read_live_pod(_entry({"apiVersion": "v1", "kind": "Pod", "metadata": told}))
    except BayplanError:
        return None
    return None if live is None else PodOwners(Notes()).live(live)


def _entry(document: Object) -> Entry:
    (entry,) = entries_of([Document(document, f"{document['kind']} {document['metadata']['name']}")])
    return entry

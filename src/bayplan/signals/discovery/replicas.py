"""The endpoints of Bayplan's own replicas: Pods that its workers run and whose port they told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import PODS
from bayplan.library.status.documents import part
from bayplan.manifests.marks import WORKLOAD
from bayplan.signals.discovery.pod_endpoints import pod_run, replica_endpoints
from bayplan.signals.discovery.policies import PolicyDiscovery

if TYPE_CHECKING:
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object
    from bayplan.signals.directory import Directory

_SOURCE = "replicas"


class ReplicaDiscovery:
    """Follows the replicas of one workload or pool, or of a whole namespace where `workload` is empty.

    To be made before the cache is started.
    """

    collections = (PODS, *PolicyDiscovery.collections)

    def __init__(self, cache: Cache, directory: Directory, *, workload: str = "", namespace: str = "default") -> None:
        self._directory = directory
        self._workload, self._namespace = workload, namespace
        cache.listen(PODS, self._pod_changed)
        PolicyDiscovery(cache, directory, namespace=namespace)

    def _pod_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            self._tell(seen.key.name, seen.new)

    def _tell(self, name: str, pod: Object | None) -> None:
        if pod is not None and self._is_wanted(pod):
            self._directory.put(_SOURCE, name, replica_endpoints(pod), pod_run(pod))
        else:
            self._directory.put(_SOURCE, name, ())

    def _is_wanted(self, pod: Object) -> bool:
        return not self._workload or part(pod, "metadata", "labels").get(WORKLOAD) == self._workload

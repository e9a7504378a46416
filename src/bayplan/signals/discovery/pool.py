"""The endpoints of an InferencePool: Pods by their labels, one endpoint for each port."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PODS
from bayplan.control.controllers.selectors import selects
from bayplan.control.store import Key
from bayplan.library.status.documents import part
from bayplan.signals.discovery.collections import INFERENCE_POOLS, OLD_INFERENCE_POOLS
from bayplan.signals.discovery.pod_endpoints import pod_run, pool_endpoints
from bayplan.signals.discovery.policies import PolicyDiscovery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object
    from bayplan.signals.directory import Directory

MOST_PORTS = 8  # of the CRD

_log = logging.getLogger("bayplan.signals")


class PoolDiscovery:
    """Follows one pool, its Pods, its objectives and its rewrites. To be made before the cache is started."""

    collections = (PODS, INFERENCE_POOLS, OLD_INFERENCE_POOLS, *PolicyDiscovery.collections)

    def __init__(self, cache: Cache, directory: Directory, *, pool: str, namespace: str = "default") -> None:
        self._cache, self._directory = cache, directory
        self._namespace, self._name = namespace, pool
        self._source = f"pool {namespace}/{pool}"
        self._pool: Object | None = None
        for collection in (INFERENCE_POOLS, OLD_INFERENCE_POOLS):
            cache.listen(collection, self._pool_changed)
        cache.listen(PODS, self._pod_changed)
        PolicyDiscovery(cache, directory, namespace=namespace, pool=pool)

    def _pool_changed(self, seen: Seen) -> None:
        if (seen.key.namespace, seen.key.name) != (self._namespace, self._name):
            return
        places = (Key(each, self._namespace, self._name) for each in (INFERENCE_POOLS, OLD_INFERENCE_POOLS))
        was, self._pool = self._pool, next(filter(None, map(self._cache.get, places)), None)
        if self._pool is None:
            _log.warning("InferencePool %s/%s is gone, and with it its endpoints", self._namespace, self._name)
        elif was is not None and part(was, "spec") == part(self._pool, "spec"):
            return
        pods = {each["metadata"]["name"]: each for each in self._cache.all(PODS, self._namespace)}
        for name in {*self._directory.keys(self._source), *pods}:
            self._tell(name, pods.get(name))

    def _pod_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            self._tell(seen.key.name, seen.new)

    def _tell(self, name: str, pod: Object | None) -> None:
        if pod is not None and self._pool is not None and self._chooses(pod):
            self._directory.put(self._source, name, pool_endpoints(pod, self._ports()), pod_run(pod))
        else:
            self._directory.put(self._source, name, ())

    def _chooses(self, pod: Object) -> bool:
        """The selector of v1 has `matchLabels`; that of v1alpha2 is the labels themselves."""
        written = part(self._pool or {}, "spec", "selector")
        selector = written if "matchLabels" in written else {"matchLabels": written} if written else {}
        return selects(selector, part(pod, "metadata", "labels"))

    def _ports(self) -> Sequence[int]:
        spec = part(self._pool or {}, "spec")
        listed: Any = spec.get("targetPorts")
        found = [each.get("number") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        numbers = [each for each in found or [spec.get("targetPortNumber")] if isinstance(each, int)]
        return list(dict.fromkeys(numbers))[:MOST_PORTS]

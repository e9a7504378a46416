"""Metrics of Nodes and Pods: counted change by change as the cache sees them, never by looking at all of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.control.collections import NODES, PODS
from bayplan.manifests.marks import REMOVED
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object
    from bayplan.telemetry.metrics.registry import Metrics


class ObjectMetrics:
    """Listens to a cache; to be made before the cache is started."""

    collections = (NODES, PODS)

    def __init__(self, metrics: Metrics, cache: Cache) -> None:
        self._nodes: Counter[str] = Counter()
        self._pods: Counter[str] = Counter()
        self._restarts = metrics.counter(catalogue.RESTARTS)
        self._removals = metrics.counter(catalogue.REMOVALS)
        self._shown = metrics.gauge(catalogue.NODES), metrics.gauge(catalogue.PODS)
        cache.listen(NODES, self._node_seen)
        cache.listen(PODS, self._pod_seen)
        metrics.ask("objects", self._ask)

    def _ask(self) -> None:
        for gauge, numbers in zip(self._shown, (self._nodes, self._pods), strict=True):
            gauge.replace({(state,): count for state, count in numbers.items() if count})

    def _node_seen(self, seen: Seen) -> None:
        _moved(self._nodes, seen, node_status)

    def _pod_seen(self, seen: Seen) -> None:
        _moved(self._pods, seen, pod_phase)
        if seen.old is not None and seen.new is not None:
            self._restarts.add(by=max(0, restarts(seen.new) - restarts(seen.old)))
            self._removals.add(by=is_removed(seen.new) > is_removed(seen.old))


def _moved(numbers: Counter[str], seen: Seen, state_of: Callable[[Object], str]) -> None:
    if seen.old is not None:
        numbers[state_of(seen.old)] -= 1
    if seen.new is not None:
        numbers[state_of(seen.new)] += 1


def node_status(node: Object) -> str:
    """In the words of a Cluster file; a Node that says nothing is not ready."""
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    if not ready:
        return "not-ready"
    return "cordoned" if (node.get("spec") or {}).get("unschedulable") else "ready"


def pod_phase(pod: Object) -> str:
    """Pending where it says nothing."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def is_removed(pod: Object) -> bool:
    """Whether its owner no longer wants it."""
    return REMOVED in (pod["metadata"].get("annotations") or ())


def restarts(pod: Object) -> int:
    """How often containers of a Pod were started again."""
    listed = (pod.get("status") or {}).get("containerStatuses") or ()
    return sum(int(each.get("restartCount") or 0) for each in listed)

"""Which Pods are bound to which Node, as the cache tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.control.cache import Seen
    from bayplan.control.store import Key, Object

_OVER = ("Succeeded", "Failed")


class BoundPods:
    """An index by node."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Key, Object]] = {}

    def take(self, seen: Seen) -> None:
        """Take note of a change; a Pod never moves from one node to another."""
        pod = seen.new or seen.old
        node = None if pod is None else pod["spec"].get("nodeName")
        if not node:
            return
        if seen.new is not None:
            self._of.setdefault(node, {})[seen.key] = seen.new
            return
        pods = self._of.get(node, {})
        pods.pop(seen.key, None)
        if not pods:
            self._of.pop(node, None)

    def of(self, node: str) -> list[tuple[Key, Object]]:
        """All Pods of a node, those that have ended too."""
        return list(self._of.get(node, {}).items())

    def leaving(self, node: str) -> list[tuple[Key, Object]]:
        """Those that are being deleted."""
        return [(key, pod) for key, pod in self.of(node) if "deletionTimestamp" in pod["metadata"]]


def is_over(pod: Object) -> bool:
    """Whether a Pod has ended."""
    return (pod.get("status") or {}).get("phase") in _OVER

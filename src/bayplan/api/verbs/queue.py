"""What waits for a place, in the order in which it would be planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.selection import Selection, parse_fields
from bayplan.control.store import Collection

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.control.store import Object

PODS = Collection("", "pods")
OUR_NAMES = ("bayplan", "alnair-cost-saving", "alnair-high-performance")
"""Scheduler names of Pods that are ours to place."""
_WITHOUT_NODE = Selection(fields=parse_fields("spec.nodeName="))


async def queue_document(backend: Backend) -> dict[str, Any]:
    """Pods without a node: by priority, then age, then name."""
    page = await backend.store.list(PODS, "", _WITHOUT_NODE)
    waiting = sorted(filter(_is_ours, (each.document() for each in page.items)), key=_place)
    return {
        "kind": "Queue",
        "items": [
            {
                "position": number,
                "namespace": pod["metadata"]["namespace"],
                "workload": pod["metadata"]["name"],
                "priority": _priority(pod),
                "since": pod["metadata"]["creationTimestamp"],
            }
            for number, pod in enumerate(waiting, 1)
        ],
    }


def _is_ours(pod: Object) -> bool:
    return pod["spec"].get("schedulerName") in OUR_NAMES and "deletionTimestamp" not in pod["metadata"]


def _priority(pod: Object) -> int:
    priority = pod["spec"].get("priority")
    return priority if isinstance(priority, int) else 0


def _place(pod: Object) -> tuple[int, str, str, str]:
    metadata = pod["metadata"]
    return -_priority(pod), metadata["creationTimestamp"], metadata["namespace"], metadata["name"]

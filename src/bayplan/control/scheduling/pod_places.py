"""What a Pod says about where it is, and what it holds there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.marks import BOOKING

if TYPE_CHECKING:
    from bayplan.control.store import Object

_OVER = ("Succeeded", "Failed")


def is_over(pod: Object) -> bool:
    """Whether a Pod has ended, and holds nothing any more."""
    return (pod.get("status") or {}).get("phase") in _OVER


def is_unbound(pod: Object | None) -> bool:
    """Whether a Pod is there and has no worker."""
    return pod is not None and not pod["spec"].get("nodeName")


def node_of(pod: Object | None) -> str:
    """The worker on which a Pod holds something; empty where it holds nothing."""
    return "" if pod is None or is_over(pod) else str(pod["spec"].get("nodeName") or "")


def told_text(pod: Object | None) -> str:
    """The annotation in which Bayplan recorded what the Pod holds; empty where there is none."""
    return "" if pod is None else str((pod["metadata"].get("annotations") or {}).get(BOOKING) or "")

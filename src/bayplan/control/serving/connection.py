"""Whether a server replica can be asked to load models: its agent says so, and its Pod runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import condition_of
from bayplan.library.status.documents import part
from bayplan.library.status.pod_facts import PodState, facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_NODE_LOST = "NodeNotReady"


def is_connected(row: Mapping[str, Any], pod: Mapping[str, Any] | None) -> bool:
    """An agent that vanished with its worker cannot say that it is gone: its Pod does."""
    if part(row, "status").get("connected") is not True or pod is None:
        return False
    if facts_of(pod).state is not PodState.RUNNING:
        return False
    return condition_of(pod, "Ready").get("reason") != _NODE_LOST

"""The status of a Pod, worked out from its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.runtimes.processes.container_state import Running, Terminated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.runtimes.processes.container_runner import ContainerRunner
    from bayplan.runtimes.processes.container_state import ContainerStatus

SUCCEEDED, FAILED = "Succeeded", "Failed"


def phase_of(first: Sequence[ContainerRunner], main: Sequence[ContainerRunner]) -> str:
    """The phase: it has ended when every container is over, or when one of the first ones failed for good."""
    if any(each.over and _code(each.status) != 0 for each in first):
        return FAILED
    if main and all(each.over for each in main):
        return SUCCEEDED if all(_code(each.status) == 0 for each in main) else FAILED
    begun = any(isinstance(each.status.state, Running | Terminated) or each.status.last for each in main)
    return "Running" if begun else "Pending"


def conditions_of(
    first: Sequence[ContainerRunner], main: Sequence[ContainerRunner], phase: str, old: Iterable[Any], now_s: float
) -> list[dict[str, Any]]:
    """The conditions that a worker knows about; their times change only with them."""
    initialized = all(each.over and _code(each.status) == 0 for each in first)
    unready = [each.name for each in main if not each.status.ready]
    reason, message = "", ""
    if phase in (SUCCEEDED, FAILED):
        reason = "PodCompleted" if phase == SUCCEEDED else "PodFailed"
    elif unready:
        reason, message = "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"
    ready = not reason
    wanted = [
        _condition("Initialized", initialized, "" if initialized else "ContainersNotInitialized", ""),
        _condition("ContainersReady", ready, reason, message),
        _condition("Ready", ready, reason, message),
    ]
    known = {each.get("type"): each for each in old if isinstance(each, dict)}
    for each in wanted:
        before = known.get(each["type"]) or {}
        kept = before.get("status") == each["status"] and before.get("lastTransitionTime")
        each["lastTransitionTime"] = kept or moment_text(now_s)
    return wanted


def _condition(kind: str, holds: bool, reason: str, message: str) -> dict[str, Any]:
    said = {"reason": reason, "message": message}
    return {"type": kind, "status": "True" if holds else "False"} | {key: text for key, text in said.items() if text}


def _code(status: ContainerStatus) -> int | None:
    return status.state.code if isinstance(status.state, Terminated) else None

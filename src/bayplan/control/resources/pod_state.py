"""The state of a Pod in one word, as the STATUS column of kubectl says it, with its ready containers and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.control.resources.ages import age, moment
from bayplan.control.resources.columns import at, condition, listed, number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_FINISHED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class PodState:
    """What the columns READY, STATUS and RESTARTS say."""

    word: str
    ready: int
    containers: int
    restarts: str


def pod_state(pod: Mapping[str, Any], now: datetime) -> PodState:
    """The state of a Pod, from its phase, its containers and whether it is being deleted."""
    sidecars = {
        each.get("name") for each in listed(pod, "spec.initContainers") if each.get("restartPolicy") == "Always"
    }
    beginning = listed(pod, "status.initContainerStatuses")
    running = listed(pod, "status.containerStatuses")
    counted = [*running, *(each for each in beginning if each.get("name") in sidecars)]
    waiting = _beginning(pod, beginning, sidecars)
    shown = [*beginning, *counted] if waiting else counted
    return PodState(
        word=_leaving(pod, waiting or _running(pod, running)),
        ready=sum(1 for each in counted if each.get("ready") and at(each, "state.running") is not None),
        containers=len(listed(pod, "spec.containers")) + len(sidecars),
        restarts=_restarts(shown, now),
    )


def _phase(pod: Mapping[str, Any]) -> str:
    gated = condition(pod, "PodScheduled").get("reason") == "SchedulingGated"
    return "SchedulingGated" if gated else str(at(pod, "status.reason") or at(pod, "status.phase") or "Pending")


def _beginning(pod: Mapping[str, Any], statuses: list[Any], sidecars: set[Any]) -> str:
    """How far the init containers are; empty when all of them are done."""
    total = len(listed(pod, "spec.initContainers"))
    for place, each in enumerate(statuses):
        ended, waits = at(each, "state.terminated"), at(each, "state.waiting")
        if isinstance(ended, dict) and number(ended, "exitCode") == 0:
            continue
        if each.get("name") in sidecars and each.get("started"):
            continue
        if isinstance(ended, dict):
            return f"Init:{_ended(ended)}"
        reason = at(waits, "reason") if isinstance(waits, dict) else None
        return f"Init:{reason}" if reason and reason != "PodInitializing" else f"Init:{place}/{total}"
    return ""


def _running(pod: Mapping[str, Any], statuses: list[Any]) -> str:
    """The reason of the first container that does not run, else the phase."""
    word, alive = _phase(pod), False
    for each in reversed(statuses):
        waits, ended = at(each, "state.waiting"), at(each, "state.terminated")
        if isinstance(waits, dict) and waits.get("reason"):
            word = str(waits["reason"])
        elif isinstance(ended, dict):
            word = _ended(ended)
        elif each.get("ready") and at(each, "state.running") is not None:
            alive = True
    if word == "Completed" and alive:
        return "Running" if condition(pod, "Ready").get("status") == "True" else "NotReady"
    return word


def _ended(terminated: Mapping[str, Any]) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    signal = terminated.get("signal")
    return f"Signal:{signal}" if signal else f"ExitCode:{terminated.get('exitCode', 0)}"


def _leaving(pod: Mapping[str, Any], word: str) -> str:
    if at(pod, "metadata.deletionTimestamp") is None:
        return word
    if at(pod, "status.reason") == "NodeLost":
        return "Unknown"
    return word if at(pod, "status.phase") in _FINISHED else "Terminating"


def _restarts(statuses: list[Any], now: datetime) -> str:
    """The number of restarts, and when the last one was."""
    total = sum(number(each, "restartCount") for each in statuses)
    ends = [at(each, "lastState.terminated.finishedAt") for each in statuses]
    last = max((each for each in ends if moment(each) is not None), default=None)
    return f"{total} ({age(last, now)} ago)" if total and last else str(total)

"""What a kubelet writes about a Pod, from what a simulated replica does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.sim.fleet.replica import Stage

if TYPE_CHECKING:
    from bayplan.control.store import Object
    from bayplan.sim.fleet.replica import Replica

SUCCEEDED, FAILED = "Succeeded", "Failed"
ENDED = (SUCCEEDED, FAILED)
_CRASHED = "Error"


def with_status(live: Object, replica: Replica, now_s: float) -> Object:
    """The Pod as it is now; unchanged where it is another one, or has ended."""
    status = live.get("status") or {}
    if live["metadata"]["uid"] != replica.uid or status.get("phase") in ENDED:
        return live
    own = {
        "phase": phase_of(replica),
        "conditions": _conditions(live, replica, moment_text(now_s)),
        "hostIP": status.get("hostIP") or replica.address,
        "podIP": replica.address,
        "podIPs": [{"ip": replica.address}],
        "startTime": status.get("startTime") or moment_text(replica.created_s),
        "containerStatuses": [_container(each, replica) for each in live["spec"].get("containers") or ()],
    }
    if first := live["spec"].get("initContainers"):
        own["initContainerStatuses"] = [_first(each, replica) for each in first]
    kept = {key: value for key, value in status.items() if key not in ("reason", "message")}
    told = {"reason": replica.reason, "message": replica.message} if phase_of(replica) == FAILED else {}
    return {**live, "status": {**kept, **own, **{key: text for key, text in told.items() if text}}}


def phase_of(replica: Replica) -> str:
    """The phase of its Pod."""
    if replica.stage is Stage.OVER:
        return FAILED if replica.exit_code or replica.reason else SUCCEEDED
    return "Pending" if replica.stage is Stage.CREATED and not replica.restarts else "Running"


def _conditions(live: Object, replica: Replica, now: str) -> list[dict[str, Any]]:
    known = {each.get("type"): each for each in (live.get("status") or {}).get("conditions") or ()}
    ready = replica.stage is Stage.READY
    reason = {} if ready else {"reason": _unready(replica)}
    for kind, holds, why in (("Initialized", True, {}), ("ContainersReady", ready, reason), ("Ready", ready, reason)):
        status = "True" if holds else "False"
        before = known.get(kind) or {}
        since = before.get("lastTransitionTime", now) if before.get("status") == status else now
        known[kind] = {"type": kind, "status": status, "lastTransitionTime": since, **why}
    return list(known.values())


def _unready(replica: Replica) -> str:
    if replica.stage is not Stage.OVER:
        return "ContainersNotReady"
    return "PodCompleted" if phase_of(replica) == SUCCEEDED else "PodFailed"


def _container(container: Object, replica: Replica) -> dict[str, Any]:
    return {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": "",
        "containerID": f"simulated://{replica.uid}" if replica.runs else "",
        "state": _state(replica),
        "lastState": _last(replica),
        "restartCount": replica.restarts,
        "started": replica.runs,
        "ready": replica.stage is Stage.READY,
    }


def _state(replica: Replica) -> dict[str, Any]:
    if replica.stage is Stage.CREATED:
        return {"waiting": {"reason": "ContainerCreating"}}
    if replica.stage is Stage.BACK_OFF:
        return {"waiting": {"reason": "CrashLoopBackOff", "message": replica.message}}
    if replica.stage is Stage.OVER:
        return {"terminated": _terminated(replica)}
    return {"running": {"startedAt": moment_text(replica.began_s)}}


def _last(replica: Replica) -> dict[str, Any]:
    crashed = replica.restarts and replica.ended_s and replica.stage is not Stage.OVER
    return {"terminated": _terminated(replica)} if crashed else {}


def _terminated(replica: Replica) -> dict[str, Any]:
    return {
        "exitCode": replica.exit_code,
        "reason": _CRASHED if replica.exit_code else "Completed",
        "startedAt": moment_text(replica.began_s or replica.created_s),
        "finishedAt": moment_text(replica.ended_s),
    }


def _first(container: Object, replica: Replica) -> dict[str, Any]:
    at = moment_text(replica.created_s)
    done = {"exitCode": 0, "reason": "Completed", "startedAt": at, "finishedAt": at}
    return {
        "name": container["name"], "image": container.get("image", ""), "imageID": "", "restartCount": 0,
        "ready": True, "state": {"terminated": done}, "lastState": {},
    }  # fmt: skip

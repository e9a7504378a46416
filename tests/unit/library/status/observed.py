"""Pods as statuses see them, in few words."""

from bayplan.library.status.pod_facts import PodFacts, PodState, Tally

NOW = 1_800_000_000.0
LATER = NOW + 60
NOW_TEXT = "2027-01-15T08:00:00Z"
LATER_TEXT = "2027-01-15T08:01:00Z"
STATES = {
    "waiting": PodFacts(PodState.WAITING),
    "refused": PodFacts(PodState.WAITING, reason="Unschedulable", message="gpu-count-short: 0 of 1 GPUs is free"),
    "starting": PodFacts(PodState.STARTING),
    "crashing": PodFacts(PodState.RUNNING, reason="CrashLoopBackOff", message="exit code 1"),
    "running": PodFacts(PodState.RUNNING),
    "ready": PodFacts(PodState.RUNNING, ready_at=NOW_TEXT),
    "succeeded": PodFacts(PodState.SUCCEEDED),
    "failed": PodFacts(PodState.FAILED, reason="Evicted", message="the worker is gone"),
    "leaving": PodFacts(PodState.LEAVING),
}


def pods(role="", revision="", **numbers):
    """`pods(ready=2, waiting=1)`."""
    return Tally(
        STATES[state]._replace(role=role, revision=revision) for state, number in numbers.items() for _ in range(number)
    )


def with_status(document, status):
    return {**document, "status": status}


def told(status, kind):
    """Status and reason of a condition; None where it is not said."""
    for each in status.get("conditions") or ():
        if each["type"] == kind:
            return each["status"], each["reason"]
    return None


def since(status, kind):
    return next(each["lastTransitionTime"] for each in status["conditions"] if each["type"] == kind)

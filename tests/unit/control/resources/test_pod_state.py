"""The state of a Pod in one word."""

from datetime import UTC, datetime

import pytest

from bayplan.control.resources.pod_state import pod_state

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
UP = {"name": "c", "ready": True, "restartCount": 0, "state": {"running": {}}}


def status(*containers, **fields):
    return {"spec": {"containers": [{"name": "c"}]}, "status": {"containerStatuses": list(containers), **fields}}


def waiting(reason):
    return {"name": "c", "state": {"waiting": {"reason": reason}}}


def ended(code, **fields):
    return {"name": "c", "state": {"terminated": {"exitCode": code, **fields}}}


def beginning(*statuses, names=("i", "j"), **fields):
    spec = {"containers": [{"name": "c"}], "initContainers": [{"name": name, **fields} for name in names]}
    return {"spec": spec, "status": {"phase": "Pending", "initContainerStatuses": list(statuses)}}


CASES = {
    "nothing known": ({}, "Pending"),
    "phase": (status(phase="Succeeded"), "Succeeded"),
    "reason of the Pod": (status(phase="Failed", reason="Evicted"), "Evicted"),
    "runs": (status(UP, phase="Running"), "Running"),
    "waits": (status(waiting("ImagePullBackOff"), phase="Pending"), "ImagePullBackOff"),
    "the first of two": (status(waiting("A"), waiting("B"), phase="Pending"), "A"),
    "ended with a code": (status(ended(3), phase="Failed"), "ExitCode:3"),
    "ended by a signal": (status(ended(0, signal=9), phase="Failed"), "Signal:9"),
    "ended with a reason": (status(ended(1, reason="OOMKilled"), phase="Failed"), "OOMKilled"),
    "one done, one runs": (status(ended(0, reason="Completed"), UP, phase="Running"), "NotReady"),
    "gated": (
        status(phase="Pending", conditions=[{"type": "PodScheduled", "reason": "SchedulingGated"}]),
        "SchedulingGated",
    ),
    "first init container": (beginning({"name": "i", "state": {"running": {}}}), "Init:0/2"),
    "second init container": (beginning(ended(0), {"name": "j", "state": {"running": {}}}), "Init:1/2"),
    "init container fails": (beginning(ended(1, reason="Error")), "Init:Error"),
    "init container waits": (beginning(waiting("CrashLoopBackOff")), "Init:CrashLoopBackOff"),
}


@pytest.mark.parametrize(("pod", "word"), CASES.values(), ids=CASES)
def test_the_word(pod, word):
    assert pod_state(pod, NOW).word == word


@pytest.mark.parametrize(("phase", "word"), [("Running", "Terminating"), ("Succeeded", "Succeeded")])
def test_a_pod_that_is_being_deleted(phase, word):
    pod = {"metadata": {"deletionTimestamp": "2026-01-01T11:00:00Z"}, "status": {"phase": phase}}

    assert pod_state(pod, NOW).word == word


def test_ready_containers_and_restarts():
    again = {**UP, "restartCount": 3, "lastState": {"terminated": {"finishedAt": "2026-01-01T11:55:00Z"}}}
    state = pod_state(status(again, phase="Running"), NOW)

    assert (state.ready, state.containers, state.restarts) == (1, 1, "3 (5m ago)")


def test_sidecars_count_as_containers():
    pod = beginning({**UP, "name": "s", "started": True}, names=("s",), restartPolicy="Always")
    pod["status"] |= {"phase": "Running", "containerStatuses": [UP]}
    state = pod_state(pod, NOW)

    assert (state.word, state.ready, state.containers) == ("Running", 2, 2)

from bayplan.library.status.pod_group import PATIENCE_S, pod_group_status, timeout_s
from unit.library.status.observed import LATER, NOW, NOW_TEXT, pods, told, with_status

GROUP = {"kind": "PodGroup", "metadata": {"name": "g", "creationTimestamp": NOW_TEXT}, "spec": {"minMember": 2}}


def walk(*steps):
    document, seen = GROUP, []
    for there in steps:
        status = pod_group_status(document, pods(**there), 2, NOW)
        document = with_status(document, status)
        seen.append(status["phase"])
    return document["status"], seen


def test_the_phases_of_a_group():
    status, seen = walk(
        {}, {"waiting": 1}, {"waiting": 2}, {"refused": 2}, {"running": 1, "waiting": 1}, {"running": 2},
        {"running": 1}, {"running": 2}, {"running": 1, "succeeded": 1}, {"succeeded": 2}, {"running": 2},
    )  # fmt: skip

    assert seen == [
        "Pending", "Pending", "Scheduling", "Scheduling", "Scheduling", "Running", "Pending", "Running", "Running",
        "Finished", "Finished",
    ]  # fmt: skip
    assert status["scheduleStartTime"] == NOW_TEXT


def test_numbers_and_reasons_are_set_and_cleared():
    waiting = pod_group_status(GROUP, pods(running=1, refused=1, leaving=3), 2, NOW)
    placed = pod_group_status(with_status(GROUP, waiting), pods(running=2, failed=1), 2, LATER)

    assert [waiting[key] for key in ("scheduled", "running", "succeeded", "failed")] == [1, 1, 0, 0]
    assert told(waiting, "Scheduled") == ("False", "Unschedulable")
    assert [placed[key] for key in ("scheduled", "running", "succeeded", "failed")] == [2, 2, 0, 1]
    assert placed["phase"] == "Failed"
    assert told(placed, "Scheduled") == ("True", "Scheduled")


def test_a_group_that_waits_too_long():
    at = NOW + PATIENCE_S
    early = pod_group_status(GROUP, pods(waiting=2), 2, at)
    late = pod_group_status(with_status(GROUP, early), pods(waiting=2), 2, at + 1)
    placed = pod_group_status(with_status(GROUP, late), pods(running=2), 2, at + 2)

    assert told(early, "TimedOut") is None
    assert told(late, "TimedOut") == ("True", "Timeout")
    assert told(placed, "TimedOut") is None


def test_when_to_look_again():
    assert timeout_s(GROUP, NOW) > PATIENCE_S
    assert timeout_s(GROUP, NOW + PATIENCE_S + 1) is None
    assert timeout_s({"metadata": {"name": "g"}}, NOW) is None

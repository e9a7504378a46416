from bayplan.library.status.replicas import Replicas
from bayplan.library.status.workload import workload_status
from unit.library.status.observed import LATER, LATER_TEXT, NOW, NOW_TEXT, pods, since, told, with_status

WORKLOAD = {"kind": "Workload", "metadata": {"name": "chat", "generation": 4}, "spec": {}}


def test_conditions_are_set_and_cleared():
    waiting = workload_status(WORKLOAD, Replicas(2, pods(ready=1, refused=1)), "a=b", NOW)
    still = workload_status(with_status(WORKLOAD, waiting), Replicas(2, pods(ready=1, refused=1)), "a=b", LATER)
    ready = workload_status(with_status(WORKLOAD, waiting), Replicas(2, pods(ready=2)), "a=b", LATER)
    none = workload_status(with_status(WORKLOAD, ready), Replicas(0, pods()), "a=b", LATER)

    assert waiting == still
    assert told(waiting, "Scheduled") == ("False", "Unschedulable")
    assert since(waiting, "Scheduled") == NOW_TEXT
    assert told(ready, "Scheduled") == ("True", "Scheduled")
    assert since(ready, "Scheduled") == since(ready, "Ready") == LATER_TEXT
    assert told(none, "Scheduled") is None
    assert told(none, "Ready") == ("True", "ScaledToZero")
    assert since(none, "Ready") == LATER_TEXT


def test_numbers():
    status = workload_status(WORKLOAD, Replicas(3, pods(ready=1, starting=1, leaving=1)), "a=b", NOW)

    assert {key: value for key, value in status.items() if key != "conditions"} == {
        "phase": "Scaling",
        "replicas": 2,
        "readyReplicas": 1,
        "desiredReplicas": 3,
        "selector": "a=b",
        "observedGeneration": 4,
    }


def test_fields_and_conditions_of_others_stay():
    mine = {"note": "x", "conditions": [{"type": "Mine", "status": "True"}]}

    status = workload_status(with_status(WORKLOAD, mine), Replicas(1, pods(ready=1)), "a=b", NOW)

    assert status["note"] == "x"
    assert status["conditions"][0] == {"type": "Mine", "status": "True"}

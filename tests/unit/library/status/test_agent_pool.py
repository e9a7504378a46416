from bayplan.library.status.agent_pool import agent_pool_status
from bayplan.library.status.replicas import Replicas
from unit.library.status.observed import LATER, LATER_TEXT, NOW, pods, told, with_status

POOL = {"kind": "AgentPool", "metadata": {"name": "pool", "generation": 1}, "spec": {}}


def test_the_cost_is_shown_while_it_is_known():
    known = agent_pool_status(POOL, Replicas(1, pods(ready=1)), "s", NOW, 2.0 / 3)
    unknown = agent_pool_status(with_status(POOL, known), Replicas(1, pods(ready=1)), "s", NOW, None)

    assert known["currentCostPerHour"] == 0.6667
    assert "currentCostPerHour" not in unknown


def test_the_time_of_scaling_moves_only_with_the_wish():
    first = agent_pool_status(POOL, Replicas(2, pods()), "s", NOW)
    second = agent_pool_status(with_status(POOL, first), Replicas(2, pods(ready=2)), "s", LATER)
    third = agent_pool_status(with_status(POOL, second), Replicas(3, pods(ready=2)), "s", LATER)
    fourth = agent_pool_status(with_status(POOL, third), Replicas(3, pods(ready=3)), "s", LATER + 60)

    assert "lastScaleTime" not in first
    assert "lastScaleTime" not in second
    assert third["lastScaleTime"] == fourth["lastScaleTime"] == LATER_TEXT


def test_phases_come_and_go():
    steps = [{}, {"refused": 2}, {"ready": 1, "refused": 1}, {"ready": 2}, {"ready": 1, "crashing": 1}, {"ready": 2}]
    document, seen = POOL, []
    for there in steps:
        status = agent_pool_status(document, Replicas(2, pods(**there)), "s", NOW)
        document = with_status(document, status)
        seen.append((status["phase"], told(status, "Ready")[1]))

    assert seen == [
        ("Pending", "Creating"),
        ("Pending", "Unschedulable"),
        ("Degraded", "Unschedulable"),
        ("Ready", "AllReplicasReady"),
        ("Degraded", "ReplicasFail"),
        ("Ready", "AllReplicasReady"),
    ]

"""Names are names inside their namespace, and are written with it where it is not the default one."""

import pytest

from bayplan.cluster.identity import GangKey, ReplicaKey, WorkloadKey

WRITTEN = {
    "a workload": (WorkloadKey("default", "chat"), "chat"),
    "a workload elsewhere": (WorkloadKey("team-a", "chat"), "team-a/chat"),
    "a gang": (GangKey("default", "ring"), "ring"),
    "a gang elsewhere": (GangKey("team-a", "ring"), "team-a/ring"),
    "a replica": (ReplicaKey("default", "chat", 3), "chat#3"),
    "a replica elsewhere": (ReplicaKey("team-a", "chat", 3), "team-a/chat#3"),
}


@pytest.mark.parametrize(("key", "text"), WRITTEN.values(), ids=WRITTEN)
def test_how_it_is_written(key, text):
    assert str(key) == text


def test_a_replica_is_one_of_its_workload():
    assert ReplicaKey("team-a", "chat", 3).workload == WorkloadKey("team-a", "chat")

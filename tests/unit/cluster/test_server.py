"""Servers and their replicas."""

import pytest

from bayplan.cluster.server import Server, ServerReplica
from bayplan.framework.errors import InputError


def test_a_further_replica_is_as_the_server_says():
    found = Server("a", capabilities=("x",), memory_mib=5, overcommit_percent=7).replica(3)

    assert found == ServerReplica(3, 5, ("x",), 7)


def test_expected_replicas():
    assert Server("a", replicas=(ServerReplica(0), ServerReplica(4))).expected_replicas == 2
    assert Server("a", expected=0, replicas=(ServerReplica(0),)).expected_replicas == 0


WRONG = {
    "negative memory": (lambda: Server("a", memory_mib=-1), "memory"),
    "crossed limits": (lambda: Server("a", min_replicas=2, max_replicas=1), "minReplicas"),
    "one index twice": (lambda: Server("a", replicas=(ServerReplica(1), ServerReplica(1))), "replicas[1].index"),
    "a negative index": (lambda: ServerReplica(-1), "index"),
    "negative reserve": (lambda: ServerReplica(0, reserved_mib=-1), "reserved"),
}


@pytest.mark.parametrize(("make", "place"), WRONG.values(), ids=WRONG)
def test_wrong_servers(make, place):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place

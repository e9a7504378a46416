"""Server replicas: what another model may take."""

from __future__ import annotations

import pytest

from bayplan.cluster.server import ServerReplica
from bayplan.framework.errors import InputError

FREE = {
    "nothing promised": (1000, 0, 1000),
    "some promised": (1000, 300, 700),
    "all promised": (1000, 1000, 0),
    "more promised than there is": (1000, 1500, 0),
}


@pytest.mark.parametrize(("available_mib", "reserved_mib", "free_mib"), FREE.values(), ids=FREE)
def test_free(available_mib, reserved_mib, free_mib):
    assert ServerReplica("s", 0, available_mib=available_mib, reserved_mib=reserved_mib).free_mib == free_mib


REFUSED = {
    "index": ({"index": -1}, "index"),
    "memory": ({"memory_mib": -1}, "memory"),
    "available": ({"available_mib": -1}, "availableMemory"),
    "reserved": ({"reserved_mib": -1}, "reservedMemory"),
    "overcommit": ({"overcommit_percent": -1.0}, "overCommit"),
    "endless overcommit": ({"overcommit_percent": float("inf")}, "overCommit"),
}


@pytest.mark.parametrize(("fields", "place"), REFUSED.values(), ids=REFUSED)
def test_a_replica_that_cannot_be_is_refused(fields, place):
    with pytest.raises(InputError) as caught:
        ServerReplica(**{"server": "s", "index": 0, **fields})

    assert caught.value.place == place

"""A booking in the ledger and the noun that it came from."""

import pytest

from bayplan.cluster.serving_booking import LoadState
from bayplan.serving.books.model_replica import ModelReplica
from unit.serving.builders import booking

SETS = {  # state: here, leaving
    "load-requested": (True, False), "loading": (True, False), "loaded": (True, False), "available": (True, False),
    "loaded-unavailable": (True, False), "draining": (False, True), "unload-requested": (False, True),
    "unloading": (False, True), "unload-failed": (False, True), "load-failed": (False, False),
    "unloaded": (False, False),
}  # fmt: skip


@pytest.mark.parametrize("state", LoadState)
def test_states(state):
    found = ModelReplica(booking(state=state), 1)

    assert (found.here, found.leaving) == SETS[state]
    assert found.holding is any(SETS[state])


def test_it_is_the_same_booking_again():
    given = booking("m", "a/3", "loading", 7, version=2, instances=4, dedicated=True, namespace="n")

    assert ModelReplica(given, 1).booking == given
    assert repr(ModelReplica(given, 1)) == "<n/m v2 on a/3: loading>"

"""States of serving bookings fall into three sets."""

import pytest

from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.serving_booking import HERE, HOLDING, LEAVING, LoadState, ServingBooking
from bayplan.framework.errors import InputError


def test_every_state_is_here_leaving_or_gone():
    assert HERE.isdisjoint(LEAVING)
    assert HERE | LEAVING == HOLDING
    assert set(LoadState) - HOLDING == {LoadState.LOAD_FAILED, LoadState.UNLOADED}


def test_the_key():
    assert ServingBooking("m", "a", 0, namespace="n").key == WorkloadKey("n", "m")


@pytest.mark.parametrize("fields", [{"memory_mib": -1}, {"replica": -1}], ids=["memory", "replica"])
def test_negative_numbers(fields):
    with pytest.raises(InputError):
        ServingBooking(**{"model": "m", "server": "a", "replica": 0, **fields})

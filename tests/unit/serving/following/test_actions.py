"""What a server replica is to do."""

import pytest

from bayplan.cluster.serving_booking import LoadState
from bayplan.serving.books.model_replica import ModelReplica
from bayplan.serving.following.actions import ActionKind, action_of
from unit.serving.builders import booking, key

KINDS = {"load-requested": ActionKind.LOAD, "unload-requested": ActionKind.UNLOAD}


@pytest.mark.parametrize("state", LoadState)
def test_actions(state):
    found = action_of(ModelReplica(booking(place="a/3", state=state, version=2), 1))

    assert (found and found.kind) == KINDS.get(state)
    assert found is None or found[1:] == (key(), 2, "a", 3, 10)

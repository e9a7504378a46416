"""A picker whose gateway is the test; at the end nothing may be left of its requests."""

import pytest

from unit.gateway.ext_proc.gateway_side import Picker
from unit.gateway.ext_proc.turn_router import TurnRouter


@pytest.fixture
def picker():
    made = []

    def make(router=None, **context):
        made.append(Picker(router or TurnRouter(), **context))
        return made[-1]

    yield make
    for each in made:
        assert each.desk.live() == 0, "a request is still counted"
        assert each.context.room.held_bytes == 0, "a body is still kept"
        each.close()

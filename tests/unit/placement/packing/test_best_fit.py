"""Parts of a large worker that are left."""

import numpy as np
import pytest

from bayplan.placement.packing.best_fit import parts_left, tightness
from bayplan.placement.packing.room_left import Room

CASES = {
    "nothing": (0, [0, 0], 0.0, 0.0),
    "a quarter of each": (32_000, [1000, 500, 500], 0.25, 0.25),
    "never more than all": (900_000, [1000] * 16, 1.0, 1.0),
}


@pytest.mark.parametrize(("cpu_milli", "cards", "cpu", "part"), CASES.values(), ids=CASES)
def test_parts(cpu_milli, cards, cpu, part):
    room = Room(np.array([cpu_milli]), np.array([0]), np.array([cards]))

    assert [each.tolist() for each in parts_left(room)] == [[cpu], [part]]
    assert tightness(room).tolist() == [1 - (cpu + part) / 2]

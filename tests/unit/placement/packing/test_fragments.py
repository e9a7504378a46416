"""What of the free cards is of no use to typical demands."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.placement.packing.demand import NEVER_MILLI
from bayplan.placement.packing.fragments import fragments, plain_fragments
from bayplan.placement.packing.room_left import Room

WHOLE, HALF = (1.0, 1, 0, 1000), (1.0, 1, 0, 500)
"""Weight, cards, CPU and thousandths of each card."""

CASES = {
    "cards that are too small": ([WHOLE], 8000, [1000, 400, 200], 600),
    "all, where it does not fit": ([WHOLE], 8000, [900, 400], 1300),
    "all, where too few do": ([(1.0, 2, 0, 1000)], 8000, [1000, 400], 1400),
    "all, where there is too little CPU": ([(1.0, 1, 9000, 500)], 8000, [1000, 400], 1400),
    "all, where it may not stand": ([(1.0, 1, 0, NEVER_MILLI)], 8000, [1000], 1000),
    "all, to one without cards": ([(1.0, 0, 0, 0)], 8000, [1000], 1000),
    "a mean": ([(0.25, *WHOLE[1:]), (0.75, *HALF[1:])], 8000, [1000, 600], 0.25 * 600),
    "rare demands do not count": ([(0.0, *WHOLE[1:]), HALF], 8000, [1000, 600], 0),
}


@pytest.mark.parametrize(("demands", "cpu_milli", "cards", "wanted"), CASES.values(), ids=CASES)
def test_fragments(demands, cpu_milli, cards, wanted):
    weights, count, cpu, need = (np.array(each) for each in zip(*demands, strict=True))
    room = Room(np.array([cpu_milli]), np.array([0]), np.array([cards]))
    outlook = SimpleNamespace(typical=weights.astype(float), cards=count, cpu_milli=cpu, need_milli=need[None])
    kinds = np.zeros(1, np.int64)

    assert fragments(outlook, kinds, room).tolist() == [pytest.approx(wanted)]
    plain = plain_fragments(weights.astype(float), count, cpu, need[None], kinds, room.cpu_milli, room.milli)
    assert plain.tolist() == [pytest.approx(wanted)]


def test_each_row_by_its_kind():
    room = Room(np.full(2, 8000), np.zeros(2, np.int64), np.array([[500, 1000]] * 2))
    outlook = SimpleNamespace(
        typical=np.ones(1), cards=np.array([1]), cpu_milli=np.array([0]), need_milli=np.array([[1000], [500]])
    )

    assert fragments(outlook, np.array([0, 1]), room).tolist() == [500.0, 0.0]

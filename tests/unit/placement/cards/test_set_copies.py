"""Sets that leave room for copies; against every subset in tests/properties."""

import pytest

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.cards.linked.near_sets import near_sets
from bayplan.placement.cards.masks import positions
from bayplan.placement.cards.set_copies import MOST_SLOTS, most_copies, pick, spared, whole_options
from unit.placement.builders import gpu


def machine(wiring, count, cards=8, locality=Locality.NVLINK):
    gpus = [gpu(number, pcie_gen=4) for number in range(cards)]
    links = wire(wiring, gpus) if isinstance(wiring, Wiring) else wire_listed(wiring, gpus)
    return near_sets(links, (0,) * cards, locality, 0.0, count)


def chain(cards):
    return [LinkSpec(number, number + 1, "nvlink", 50) for number in range(cards - 1)]


COPIES = {
    "a switch": (Wiring.NVSWITCH, 3, [1] * 8, 2),
    "quads": (Wiring.NVLINK_QUADS, 3, [1] * 8, 2),
    "quads of which a part is held": (Wiring.NVLINK_QUADS, 2, [0, 1, 1, 1, 0, 0, 0, 1], 1),
    "the cube mesh": (Wiring.HYBRID_CUBE_MESH, 4, [1] * 8, 2),
    "pairs through the cube mesh": (Wiring.HYBRID_CUBE_MESH, 2, [1, 0, 0, 0, 1, 1, 1, 1], 2),
    "shares on pairs": (Wiring.NVLINK_PAIRS, 2, [3, 2, 1, 4, 0, 9, 1, 1], 4),
}


@pytest.mark.parametrize(("wiring", "count", "slots", "wanted"), COPIES.values(), ids=COPIES)
def test_how_many(wiring, count, slots, wanted):
    near = machine(wiring, count)

    assert most_copies(near, tuple(slots), 99) == wanted
    assert most_copies(near, tuple(slots), 1) == 1


def test_the_centre_of_a_star_is_in_every_set():
    near = machine([LinkSpec(0, number, "nvlink", 50) for number in range(1, 6)], 2, cards=6)

    assert most_copies(near, (1,) * 6, 9) == 1
    assert most_copies(near, (3, 1, 1, 1, 1, 1), 9) == 3


def test_beyond_so_many_shares_sets_are_taken_one_by_one():
    near = machine(chain(8), 2)
    slots = (MOST_SLOTS,) * 8

    assert most_copies(near, slots, 40) == 40
    assert spared(near, slots, [0] * 8, 40)[1].bit_count() == 2


def test_one_alone_may_break_what_two_may_not():
    near, worth = machine(chain(4), 2, cards=4), [9, 1, 1, 9]

    assert list(positions(pick(whole_options(near, 0b1111, 1), worth, 2))) == [1, 2]
    assert list(positions(pick(whole_options(near, 0b1111, 2), worth, 2))) == [0, 1]


def test_no_set_at_all():
    near = machine(Wiring.PCIE, 2)

    assert whole_options(near, 0b1111, 2) == ()
    assert spared(near, (1,) * 8, [0] * 8, 2)[1] == 0

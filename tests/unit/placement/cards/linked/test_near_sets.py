"""Sets of cards on the machines that people buy, and on larger ones."""

from itertools import combinations

import numpy as np
import pytest

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.cards.linked.near_sets import APART, NO_ISLAND, SLOW, near_sets
from bayplan.placement.cards.masks import mask_of
from unit.placement.builders import gpu

NVLINK, SOCKET = Locality.NVLINK, Locality.SAME_SOCKET


def machine(wiring, cards=8, *, count, locality=None, gb_per_s=0.0):
    """Two sockets, one half of the cards each."""
    gpus = [gpu(number, pcie_gen=4) for number in range(cards)]
    links = wire(wiring, gpus) if isinstance(wiring, Wiring) else wiring and wire_listed(wiring, gpus)
    return near_sets(links, tuple(number * 2 // cards for number in range(cards)), locality, gb_per_s, count)


def all_of(near):
    return (1 << near.width) - 1


OPTIONS = {
    "a switch is one island": (Wiring.NVSWITCH, 4, NVLINK, [(8, None)]),
    "quads are two": (Wiring.NVLINK_QUADS, 4, NVLINK, [(4, None), (4, None)]),
    "pairs are four": (Wiring.NVLINK_PAIRS, 2, NVLINK, [(2, None)] * 4),
    "no pair joins three": (Wiring.NVLINK_PAIRS, 3, NVLINK, []),
    "the cube mesh lists its pairs": (Wiring.HYBRID_CUBE_MESH, 2, NVLINK, [(8, 16)]),
    "PCIe joins nobody": (Wiring.PCIE, 2, NVLINK, []),
    "nobody told": (None, 2, NVLINK, []),
    "sockets": (None, 3, SOCKET, [(4, None), (4, None)]),
    "no demand: islands first": (Wiring.NVLINK_QUADS, 2, None, [(4, None), (4, None), (NO_ISLAND, None)]),
    "no demand: anywhere": (Wiring.NVLINK_QUADS, 5, None, [(NO_ISLAND, None)]),
    "one card": (Wiring.NVLINK_QUADS, 1, NVLINK, [(NO_ISLAND, None)]),
}


@pytest.mark.parametrize(("wiring", "count", "locality", "wanted"), OPTIONS.values(), ids=OPTIONS)
def test_options(wiring, count, locality, wanted):
    near = machine(wiring, count=count, locality=locality)
    found = near.options(all_of(near))

    assert [(each.size, None if each.sets is None else len(each.sets)) for each in found] == wanted


LACKS = {
    "nothing": (Wiring.NVSWITCH, NVLINK, 600.0, 0),
    "to be joined": (Wiring.PCIE, NVLINK, 32.0, APART),
    "speed": (Wiring.NVSWITCH, NVLINK, 601.0, SLOW),
    "both": (Wiring.PCIE, NVLINK, 600.0, APART | SLOW),
    "both, where nobody told": (None, NVLINK, 1.0, APART | SLOW),
    "speed, where nobody told": (None, SOCKET, 1.0, SLOW),
}


@pytest.mark.parametrize(("wiring", "locality", "gb_per_s", "wanted"), LACKS.values(), ids=LACKS)
def test_what_is_lacking(wiring, locality, gb_per_s, wanted):
    near = machine(wiring, count=2, locality=locality, gb_per_s=gb_per_s)

    assert near.lacks(all_of(near)) == wanted
    assert near.lacks(1) == 0, "too few cards are not judged"


def test_many_masks_are_asked_at_once():
    near = machine(Wiring.NVLINK_PAIRS, count=2, locality=NVLINK)
    masks = [0b11, 0b110, 0b1100, 0b110, 1]

    assert near.lacks_each(np.array(masks)).tolist() == [0, APART, 0, APART, 0]
    assert near.lacks_each(np.array(masks)).tolist() == [near.lacks(mask) for mask in masks]
    assert near.lacks_each(np.array(masks, object)).tolist() == [near.lacks(mask) for mask in masks], (
        "a few cards beside a worker with more than 62"
    )


WIDE = {
    "a rack behind switches": (Wiring.NVSWITCH, 72, 16, 0),
    "quads": (Wiring.NVLINK_QUADS, 24, 5, APART),
    "a ring": ([LinkSpec(n, (n + 1) % 20, "nvlink", 50) for n in range(20)], 20, 9, 0),
    "a star": ([LinkSpec(0, n, "nvlink", 50) for n in range(1, 30)], 30, 12, 0),
}


@pytest.mark.parametrize(("wiring", "cards", "count", "wanted"), WIDE.values(), ids=WIDE)
def test_more_cards_than_fit_into_a_table(wiring, cards, count, wanted):
    near = machine(wiring, cards, count=count, locality=NVLINK)

    assert near.lacks(all_of(near)) == wanted
    assert near.lacks_each(np.array([all_of(near)], object)).tolist() == [wanted]


def test_without_its_centre_a_star_falls_apart():
    near = machine([LinkSpec(0, n, "nvlink", 50) for n in range(1, 20)], 20, count=2, locality=NVLINK)

    assert near.lacks(all_of(near) & ~1) == APART
    assert near.most_near(all_of(near) & ~1) == 1
    assert near.most_near(all_of(near)) == 20


def test_fast_sets_of_a_wide_machine():
    """Six cards that reach each other fast, among twenty that do not."""
    fast = [LinkSpec(a, b, "nvlink", 400) for a, b in combinations(range(3, 20, 3), 2)]
    near = machine(fast, 20, count=6, gb_per_s=400.0)

    assert [option.cards for option in near.options(all_of(near))] == [mask_of(range(3, 20, 3))] * 2
    assert machine(fast, 20, count=7, gb_per_s=400.0).lacks(all_of(near)) == SLOW


BEST = {
    "a switch": (Wiring.NVSWITCH, 8, None, 600.0),
    "two bricks": (Wiring.HYBRID_CUBE_MESH, 2, NVLINK, 100.0),
    "a quad of the mesh": (Wiring.HYBRID_CUBE_MESH, 4, NVLINK, 50.0),
    "across quads": (Wiring.NVLINK_QUADS, 5, None, 32.0),
    "not joined at all": (Wiring.NVLINK_QUADS, 5, NVLINK, None),
    "nobody told": (None, 2, None, None),
}


@pytest.mark.parametrize(("wiring", "count", "locality", "wanted"), BEST.values(), ids=BEST)
def test_the_best_that_any_set_reaches(wiring, count, locality, wanted):
    near = machine(wiring, count=count, locality=locality, gb_per_s=1000.0)

    assert near.best_gb_per_s(all_of(near)) == wanted

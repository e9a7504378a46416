"""Cards for shares that leave room for copies: whole columns as row by row."""

import numpy as np
from hypothesis import given, strategies as st

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.workload import Locality
from bayplan.placement.cards.linked.near_sets import near_sets
from bayplan.placement.cards.masks import mask_of, positions
from bayplan.placement.cards.set_copies import spared
from bayplan.placement.cards.spare_sets import most_together, spare_anywhere, spare_linked
from unit.placement.builders import gpu

WIDTH = 6
GPUS = [gpu(number, pcie_gen=4) for number in range(WIDTH)]

NEAR = st.builds(
    lambda wiring, locality, gb_per_s, count: near_sets(
        None if wiring is None else wire(wiring, GPUS), (0, 0, 0, 1, 1, 1), locality, gb_per_s, count
    ),
    st.sampled_from([*Wiring, None]),
    st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET]),
    st.sampled_from([0.0, 32.0, 100.0]),
    st.integers(2, 4),
)
SLOTS = st.lists(st.integers(0, 4), min_size=WIDTH, max_size=WIDTH)
WORTH = st.lists(st.integers(0, 5), min_size=WIDTH, max_size=WIDTH)


@given(st.lists(st.tuples(NEAR, SLOTS, WORTH), min_size=1, max_size=4), st.integers(2, 4))
def test_many_rows_are_answered_as_each_alone(lines, copies):
    cases = [(near, mask_of(place for place, each in enumerate(slots) if each)) for near, slots, _ in lines]
    slots, worth = (np.array([line[place] for line in lines]) for place in (1, 2))
    chosen, size = spare_linked(cases, np.arange(len(lines)), slots, worth, copies)

    for number, (near, held, worths) in enumerate(lines):
        capped = tuple(min(each, copies) for each in held)
        wanted_size, cards = spared(near, capped, worths, copies)
        assert np.flatnonzero(chosen[number]).tolist() == list(positions(cards))
        assert size[number] == wanted_size


@given(SLOTS, WORTH, st.integers(2, 3), st.integers(2, 4))
def test_where_links_do_not_matter(slots, worth, count, copies):
    there = np.array([slots]) > 0
    cards = np.array([count if there.sum() >= count else 0])
    chosen = spare_anywhere(there, cards, np.array([worth]), np.array([slots]), copies)
    _, wanted = spared(near_sets(None, (0,) * WIDTH, None, 0.0, count), tuple(slots), worth, copies)

    assert np.flatnonzero(chosen[0]).tolist() == list(positions(wanted))


def test_the_most_copies():
    slots, cards = np.array([[2, 2, 1], [1, 1, 1], [9, 0, 0]]), np.array([2, 2, 2])

    assert most_together(slots, cards, 9).tolist() == [2, 1, 0]
    assert most_together(slots, cards, 1).tolist() == [1, 1, 0]

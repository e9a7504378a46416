"""Which cards rows take: many at once as one by one, and as plain words say it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.choose import choose
from bayplan.placement.cards.linked.near_sets import NO_ISLAND
from bayplan.placement.cards.set_picks import pick_sets
from fleets import booking, share, whole
from unit.placement.builders import ask, chosen, gpu, seen, subject, worker

KNOWN = CardRule(needs_memory=True)
WIRINGS = [*Wiring, None]


def cards(*held, sizes=(40,) * 8):
    """Eight cards on two sockets, and bookings of those that are held."""
    gpus = [gpu(number, memory_mib=size, numa=number // 4, pcie_gen=4) for number, size in enumerate(sizes)]
    return gpus, (booking("other", *map(whole, held)),) if held else ()


def wired(wiring, name="a", sizes=(40,) * 8):
    gpus, _ = cards(sizes=sizes)
    return worker(name, cards=gpus, links=wire(wiring, gpus) if wiring else None)


def wholes(count, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **others)


def shares(count, need_mib=10, **others):
    return ask(taking=Taking.SHARE, shapes=(CardShape(count, need_mib),), rule=KNOWN, **others)


NVLINK, SOCKET = {"locality": Locality.NVLINK}, {"locality": Locality.SAME_SOCKET}

CHOSEN = {
    "the smaller island": (wholes(2), Wiring.NVLINK_QUADS, (0, 4, 5), [6, 7]),
    "also for shares": (shares(2), Wiring.NVLINK_QUADS, (0, 4, 5), [6, 7]),
    "that suffices": (wholes(3), Wiring.NVLINK_QUADS, (4, 5), [0, 1, 2]),
    "of equal islands the lower": (wholes(2), Wiring.NVLINK_PAIRS, (), [0, 1]),
    "no island suffices": (wholes(3), Wiring.NVLINK_PAIRS, (0,), [1, 2, 3]),
    "a whole pair rather than two halves": (wholes(2), Wiring.NVLINK_PAIRS, (0, 3), [4, 5]),
    "links that nobody told": (wholes(2), None, (0, 4, 5), [1, 2]),
    "PCIe has no islands": (wholes(2), Wiring.PCIE, (0, 4, 5), [1, 2]),
    "what is free decides what is joined": (wholes(2), Wiring.HYBRID_CUBE_MESH, (1, 2, 3, 4, 5), [6, 7]),
    "the smaller socket": (wholes(2, **SOCKET), Wiring.NVSWITCH, (0, 4, 5), [6, 7]),
    "a socket without links": (wholes(2, **SOCKET), None, (0, 4, 5), [6, 7]),
    "joined in the cube mesh": (wholes(2, **NVLINK), Wiring.HYBRID_CUBE_MESH, (0, 2, 3, 4, 6, 7), [1, 5]),
    "a fast pair of the cube mesh": (wholes(2, min_bandwidth_gb_per_s=100.0), Wiring.HYBRID_CUBE_MESH, (), [0, 3]),
    "four that are joined": (wholes(4, **NVLINK), Wiring.HYBRID_CUBE_MESH, (0, 7), [1, 2, 3, 5]),
    "nothing is joined": (wholes(2, **NVLINK), Wiring.PCIE, (), []),
    "PCIe is fast enough": (wholes(2, min_bandwidth_gb_per_s=32.0), Wiring.PCIE, (0,), [1, 2]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "wiring", "held", "wanted"), CHOSEN.values(), ids=CHOSEN)
def test_cards_of_a_worker(asked, wiring, held, wanted):
    _, bookings = cards(*held)

    assert chosen(asked, wired(wiring), bookings=bookings)[0] == wanted


WORTH = {
    "the least free memory": (shares(2, **NVLINK), "tight", [4, 6]),
    "the most": (shares(2, **NVLINK), "roomy", [5, 7]),
    "an island before memory": (shares(2), "tight", [4, 6]),
}


@pytest.mark.parametrize(("asked", "order", "wanted"), WORTH.values(), ids=WORTH)
def test_inside_an_island_what_cards_are_worth_decides(asked, order, wanted):
    """Of the first quad three cards are free, of the second all four; another card holds too little."""
    sizes = (20, 5, 5, 5, 30, 50, 40, 60)

    assert chosen(asked, wired(Wiring.NVLINK_QUADS, sizes=sizes), order=order)[0] == wanted


def test_of_islands_with_as_many_free_cards_that_with_the_least_memory():
    sizes = (50, 50, 40, 40, 30, 60, 45, 45)

    assert chosen(shares(2), wired(Wiring.NVLINK_PAIRS, sizes=sizes))[0] == [2, 3]


def chain(name="a", sizes=(40,) * 4):
    """Four cards in a row, each joined to the next."""
    gpus = [gpu(number, memory_mib=size) for number, size in enumerate(sizes)]
    return worker(name, cards=gpus, links=wire_listed([LinkSpec(n, n + 1, "nvlink", 50) for n in range(3)], gpus))


COPIES = {
    "one alone takes the least": (wholes(2, **NVLINK), (40, 20, 20, 40), [1, 2]),
    "two do not break the chain": (wholes(2, **NVLINK, copies=2), (40, 20, 20, 40), [0, 1]),
    "shares too": (shares(2, 20, **NVLINK, copies=2), (39, 20, 20, 39), [0, 1]),
    "unless the middle holds two": (shares(2, 20, **NVLINK, copies=2), (50, 40, 40, 50), [1, 2]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "sizes", "wanted"), COPIES.values(), ids=COPIES)
def test_a_set_leaves_room_for_copies(asked, sizes, wanted):
    assert chosen(asked, chain(sizes=sizes))[0] == wanted


def test_copies_go_before_islands():
    """The pair that is joined holds one copy, and then the third card would be alone."""
    gpus = [gpu(number, memory_mib=size) for number, size in enumerate((10, 10, 20))]
    where = worker(cards=gpus, links=wire_listed([LinkSpec(0, 1, "nvlink", 50)], gpus))

    assert chosen(shares(2), where)[0] == [0, 1]
    assert chosen(shares(2, copies=2), where)[0] == [0, 2]


ASKS = st.builds(
    lambda make, count, near, speed, copies: make(count, locality=near, min_bandwidth_gb_per_s=speed, copies=copies),
    st.sampled_from([wholes, shares]),
    st.integers(1, 4),
    st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET]),
    st.sampled_from([0.0, 32.0, 100.0]),
    st.integers(1, 3),
)
SIZES = st.lists(st.sampled_from([5, 10, 20, 35]), min_size=8, max_size=8)
ROW = st.tuples(st.sampled_from(WIRINGS), SIZES, st.sets(st.integers(0, 7)), st.integers(0, 30))


@given(ASKS, st.lists(ROW, min_size=2, max_size=5), st.sampled_from(["tight", "even", "roomy"]))
def test_many_rows_at_once_are_answered_as_each_alone(asked, lines, order):
    workers = [wired(wiring, f"w{number}", sizes) for number, (wiring, sizes, _, _) in enumerate(lines)]
    bookings = [
        booking("other", *(whole(place) if place % 2 else share(place, used) for place in held), on=f"w{number}")
        for number, (_, _, held, used) in enumerate(lines)
        if held
    ]
    together = choose(asked, seen(asked, *workers, bookings=bookings), order, subject())
    for number, each in enumerate(workers):
        held = [one for one in bookings if one.worker == each.name]
        alone = choose(asked, seen(asked, each, bookings=held), order, subject())
        assert together.chosen[number].tolist() == alone.chosen[0].tolist()
        assert together.fullness[number] == alone.fullness[0]


def test_the_size_of_the_island_is_told():
    asked = wholes(2)
    rows = seen(asked, wired(Wiring.NVLINK_QUADS, "a"), wired(Wiring.PCIE, "b"), wired(None, "c"))
    everybody = np.ones((3, 8), np.bool_)
    picks = pick_sets(asked, rows, everybody, np.array([2, 2, 2]), rows.card_free_mib)

    assert picks.size.tolist() == [4, NO_ISLAND, NO_ISLAND]
    assert picks.chosen.sum(1).tolist() == [2, 2, 2]


def test_rows_may_want_different_numbers():
    asked = wholes(2)
    rows = seen(asked, *(wired(Wiring.NVLINK_QUADS, name) for name in "abc"))
    free = np.ones((3, 8), np.bool_)
    free[:, 4] = False
    picks = pick_sets(asked, rows, free, np.array([3, 4, 0]), rows.card_free_mib)

    assert [np.flatnonzero(row).tolist() for row in picks.chosen] == [[5, 6, 7], [0, 1, 2, 3], []]

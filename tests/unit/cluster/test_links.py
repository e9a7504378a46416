"""How the cards of a worker are joined: short forms, lists, islands and the slowest link."""

from __future__ import annotations

from itertools import combinations

import pytest

from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.links import Link, LinkMatrix, LinkSpec, Wiring, wire, wire_listed
from bayplan.framework.errors import InputError

A100 = "A100-SXM4-80GB"


def cards(count, model=A100, pcie_gen=4, runtime="cuda"):
    return tuple(Gpu(index, runtime=runtime, model=model, pcie_gen=pcie_gen) for index in range(count))


def pairs_of(matrix, kind):
    return {(a, b) for a, b in combinations(range(len(matrix.cards)), 2) if matrix.between(a, b).kind == kind}


QUADS = set(combinations(range(4), 2)) | set(combinations(range(4, 8), 2))
WIRINGS = {
    "nvswitch joins all": (Wiring.NVSWITCH, set(combinations(range(8), 2))),
    "pairs": (Wiring.NVLINK_PAIRS, {(0, 1), (2, 3), (4, 5), (6, 7)}),
    "quads": (Wiring.NVLINK_QUADS, QUADS),
    "cube mesh": (Wiring.HYBRID_CUBE_MESH, QUADS | {(0, 4), (1, 5), (2, 6), (3, 7)}),
    "pcie": (Wiring.PCIE, set()),
}


@pytest.mark.parametrize(("wiring", "nvlinks"), WIRINGS.values(), ids=WIRINGS)
def test_a_short_form_joins_these_pairs_and_the_rest_is_pcie(wiring, nvlinks):
    matrix = wire(wiring, cards(8))

    assert pairs_of(matrix, "nvlink") == nvlinks
    assert pairs_of(matrix, "pcie") == set(combinations(range(8), 2)) - nvlinks


SPEEDS = {
    "switch of V100": (Wiring.NVSWITCH, "Tesla V100-SXM2-32GB", (0, 7), 300),
    "switch of A100": (Wiring.NVSWITCH, A100, (0, 7), 600),
    "switch of H100": (Wiring.NVSWITCH, "H100-SXM5-80GB", (0, 7), 900),
    "switch of H200": (Wiring.NVSWITCH, "NVIDIA H200", (0, 7), 900),
    "switch of B200": (Wiring.NVSWITCH, "B200", (0, 7), 1800),
    "switch of what nobody knows": (Wiring.NVSWITCH, "Mystery-9", (0, 7), None),
    "pair of A100": (Wiring.NVLINK_PAIRS, A100, (2, 3), 600),
    "quad of A100: a third": (Wiring.NVLINK_QUADS, A100, (1, 3), 200),
    "quad of V100: a third": (Wiring.NVLINK_QUADS, "V100", (4, 7), 100),
    "cube mesh, two bricks 0-3": (Wiring.HYBRID_CUBE_MESH, "V100", (0, 3), 100),
    "cube mesh, two bricks 3-2": (Wiring.HYBRID_CUBE_MESH, "V100", (3, 2), 100),
    "cube mesh, two bricks 2-1": (Wiring.HYBRID_CUBE_MESH, "V100", (2, 1), 100),
    "cube mesh, two bricks 1-5": (Wiring.HYBRID_CUBE_MESH, "V100", (1, 5), 100),
    "cube mesh, two bricks 5-6": (Wiring.HYBRID_CUBE_MESH, "V100", (5, 6), 100),
    "cube mesh, two bricks 6-7": (Wiring.HYBRID_CUBE_MESH, "V100", (6, 7), 100),
    "cube mesh, two bricks 7-4": (Wiring.HYBRID_CUBE_MESH, "V100", (7, 4), 100),
    "cube mesh, two bricks 4-0": (Wiring.HYBRID_CUBE_MESH, "V100", (4, 0), 100),
    "cube mesh, one brick 0-1": (Wiring.HYBRID_CUBE_MESH, "V100", (0, 1), 50),
    "cube mesh, one brick 2-6": (Wiring.HYBRID_CUBE_MESH, "V100", (2, 6), 50),
    "cube mesh, not joined": (Wiring.HYBRID_CUBE_MESH, "V100", (0, 5), 32),
    "pcie": (Wiring.PCIE, "L40S", (0, 1), 32),
}


@pytest.mark.parametrize(("wiring", "model", "pair", "gb_per_s"), SPEEDS.values(), ids=SPEEDS)
def test_bandwidth_of_a_short_form(wiring, model, pair, gb_per_s):
    assert wire(wiring, cards(8, model)).between(*pair).bandwidth_gb_per_s == gb_per_s


PCIE = {
    "generation 1": (1, 1, 4),
    "generation 2": (2, 2, 8),
    "generation 3": (3, 3, 16),
    "generation 4": (4, 4, 32),
    "generation 5": (5, 5, 64),
    "generation 6": (6, 6, 128),
    "the older card counts": (5, 3, 16),
    "the older card counts, either way": (3, 5, 16),
    "one is not known": (5, None, None),
    "a generation nobody built": (9, 9, None),
}


@pytest.mark.parametrize(("first", "second", "gb_per_s"), PCIE.values(), ids=PCIE)
def test_pcie_follows_the_generation_that_was_told(first, second, gb_per_s):
    matrix = wire(Wiring.PCIE, (Gpu(0, model=A100, pcie_gen=first), Gpu(1, model=A100, pcie_gen=second)))

    assert matrix.between(0, 1) == Link("pcie", gb_per_s)


def test_cards_of_two_models_get_the_slower_nvlink():
    matrix = wire(Wiring.NVSWITCH, (Gpu(0, model="V100"), Gpu(1, model=A100)))

    assert matrix.between(0, 1) == Link("nvlink", 300)


@pytest.mark.parametrize("wiring", [w for w in Wiring if w is not Wiring.PCIE])
def test_a_short_form_never_joins_two_vendors(wiring):
    gpus = (*cards(2), *cards(2, "MI300X", runtime="rocm"))

    assert pairs_of(wire(wiring, gpus), "nvlink") == {(0, 1), (2, 3)}


def test_groups_follow_indices_and_not_positions():
    gpus = tuple(Gpu(index, model=A100) for index in (0, 2, 1, 3))

    assert pairs_of(wire(Wiring.NVLINK_PAIRS, gpus), "nvlink") == {(0, 2), (1, 3)}


def test_the_cube_mesh_has_eight_cards():
    assert pairs_of(wire(Wiring.HYBRID_CUBE_MESH, cards(12)), "nvlink") == pairs_of(
        wire(Wiring.HYBRID_CUBE_MESH, cards(8)), "nvlink"
    )


def test_equal_workers_share_one_matrix():
    assert wire(Wiring.NVSWITCH, cards(8)) is wire(Wiring.NVSWITCH, cards(8))
    assert wire(Wiring.NVSWITCH, cards(8)) != wire(Wiring.NVSWITCH, cards(8, "V100"))


LISTED = {
    "as it says": (LinkSpec(0, 1, "nvlink", 250), Link("nvlink", 250)),
    "either way round": (LinkSpec(1, 0, "nvlink", 250), Link("nvlink", 250)),
    "nvlink of that model": (LinkSpec(0, 1, "nvlink"), Link("nvlink", 600)),
    "pcie of that generation": (LinkSpec(0, 1, "pcie"), Link("pcie", 32)),
    "pcie with its own figure": (LinkSpec(0, 1, "pcie", 12.5), Link("pcie", 12.5)),
    "another kind": (LinkSpec(0, 1, "xgmi"), Link("xgmi", None)),
    "whatever the case": (LinkSpec(0, 1, "NVLink"), Link("nvlink", 600)),
    "by card": (LinkSpec(CardId("cuda", 0), CardId("cuda", 1), "nvlink", 1), Link("nvlink", 1)),
    "no bandwidth at all": (LinkSpec(0, 1, "nvlink", 0), Link("nvlink", 0)),
}


@pytest.mark.parametrize(("spec", "link"), LISTED.values(), ids=LISTED)
def test_a_listed_link(spec, link):
    matrix = wire_listed([spec], cards(3))

    assert matrix.between(0, 1) == matrix.between(1, 0) == link
    assert matrix.between(0, 2) == Link("pcie", 32)


def test_a_bare_index_is_the_first_card_of_that_index():
    gpus = (*cards(2), *cards(2, "MI300X", pcie_gen=5, runtime="rocm"))

    matrix = wire_listed([LinkSpec(0, 1, "nvlink"), LinkSpec(CardId("rocm", 0), CardId("rocm", 1), "xgmi")], gpus)

    assert pairs_of(matrix, "nvlink") == {(0, 1)}
    assert pairs_of(matrix, "xgmi") == {(2, 3)}


def test_the_same_link_may_be_listed_from_both_ends():
    matrix = wire_listed([LinkSpec(0, 1, "nvlink"), LinkSpec(1, 0, "nvlink")], cards(2))

    assert matrix.between(0, 1).kind == "nvlink"


WRONG = {
    "no such card": ([LinkSpec(0, 7, "nvlink")], "links[0][1]", "no card is 7"),
    "no such first card": ([LinkSpec(7, 0, "nvlink")], "links[0][0]", "no card is 7"),
    "another vendor's card": ([LinkSpec(0, CardId("rocm", 1), "nvlink")], "links[0][1]", "rocm:1"),
    "with itself": ([LinkSpec(1, 1, "nvlink")], "links[0]", "itself"),
    "two answers": ([LinkSpec(0, 1, "nvlink"), LinkSpec(1, 0, "pcie")], "links[1]", "another link"),
    "negative": ([LinkSpec(0, 1, "nvlink", -1.0)], "links[0][3]", "-1.0 is negative"),
    "not a number": ([LinkSpec(0, 1, "nvlink", float("nan"))], "links[0][3]", "no finite number"),
}


@pytest.mark.parametrize(("specs", "place", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_list_is_refused_at_its_place(specs, place, message):
    with pytest.raises(InputError) as caught:
        wire_listed(specs, cards(2))

    assert caught.value.place == place
    assert message in caught.value.message
    assert caught.value.next


def test_a_link_without_cards_says_that_there_are_none():
    with pytest.raises(InputError, match="the worker's cards are none"):
        wire_listed([LinkSpec(0, 1, "nvlink")], ())


ISLANDS = {
    "switch": (Wiring.NVSWITCH, 4, ((0, 1, 2, 3),)),
    "pairs": (Wiring.NVLINK_PAIRS, 4, ((0, 1), (2, 3))),
    "an odd one out": (Wiring.NVLINK_PAIRS, 3, ((0, 1), (2,))),
    "cube mesh": (Wiring.HYBRID_CUBE_MESH, 8, ((0, 1, 2, 3, 4, 5, 6, 7),)),
    "pcie": (Wiring.PCIE, 3, ((0,), (1,), (2,))),
    "one card": (Wiring.PCIE, 1, ((0,),)),
    "no card": (Wiring.PCIE, 0, ()),
}


@pytest.mark.parametrize(("wiring", "count", "islands"), ISLANDS.values(), ids=ISLANDS)
def test_islands(wiring, count, islands):
    assert wire(wiring, cards(count)).islands == islands


def test_neighbours_are_masks_of_positions():
    specs = [LinkSpec(0, 1, "nvlink"), LinkSpec(1, 3, "nvlink"), LinkSpec(0, 2, "xgmi")]

    assert wire_listed(specs, cards(4)).nvlink_neighbours == (0b0010, 0b1001, 0, 0b0010)


CHAIN = wire_listed([LinkSpec(0, 1, "nvlink", 100), LinkSpec(1, 2, "nvlink", 50)], cards(4))

SMALLEST = {
    "one link": ((0, 1), 100),
    "the slowest counts": ((0, 1, 2), 32),
    "one card has none": ((0,), None),
}


@pytest.mark.parametrize(("positions", "gb_per_s"), SMALLEST.values(), ids=SMALLEST)
def test_smallest_bandwidth(positions, gb_per_s):
    assert CHAIN.smallest_bandwidth(positions) == gb_per_s


def test_a_set_with_a_link_that_nobody_knows_has_no_smallest_bandwidth():
    matrix = wire_listed([LinkSpec(0, 1, "nvlink", 100)], cards(3, pcie_gen=None))

    assert matrix.smallest_bandwidth((0, 1)) == 100
    assert matrix.smallest_bandwidth((0, 1, 2)) is None


def test_a_card_has_no_link_to_itself():
    with pytest.raises(ValueError, match="itself"):
        CHAIN.between(1, 1)


def test_a_matrix_has_one_link_for_every_pair():
    with pytest.raises(InputError, match="2 links do not join 3 cards"):
        LinkMatrix(CHAIN.cards[:3], CHAIN.links[:2])

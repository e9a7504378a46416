"""Sets of linked cards against every subset there is, on random small machines."""

from functools import cache
from itertools import combinations

from hypothesis import given, strategies as st

from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.links import Link, LinkMatrix, LinkSpec, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.cards.linked.near_sets import APART, NO_ISLAND, SLOW, near_sets
from bayplan.placement.cards.masks import mask_of, positions
from bayplan.placement.cards.set_copies import most_copies, pick, spared, whole_options
from fleets import joined_by_nvlink

LINK = st.sampled_from([Link("nvlink", 100.0), Link("nvlink", 50.0), Link("nvlink"), Link("pcie", 32.0), Link("pcie")])


@st.composite
def machines(draw, most=7):
    """Links (perhaps not known), sockets, a demand, a number of cards, and what is free of them."""
    width = draw(st.integers(2, most))
    pairs = width * (width - 1) // 2
    listed = draw(st.lists(LINK, min_size=pairs, max_size=pairs))
    links = draw(st.sampled_from([LinkMatrix(tuple(CardId("cuda", n) for n in range(width)), tuple(listed)), None]))
    numa = tuple(draw(st.lists(st.sampled_from([0, 1, -1]), min_size=width, max_size=width)))
    demand = draw(st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET])), draw(st.sampled_from([0, 32, 60.0]))
    return near_sets(links, numa, *demand, draw(st.integers(1, 4))), draw(st.integers(0, (1 << width) - 1))


def is_near(near, cards):
    if near.locality is Locality.SAME_SOCKET:
        zones = {near.numa[place] for place in cards}
        return len(zones) == 1 and zones != {-1}
    return near.locality is None or (near.links is not None and joined_by_nvlink(near.links, cards))


def is_fast(near, cards):
    return not near.gb_per_s or (
        near.links is not None
        and all((near.links.between(a, b).bandwidth_gb_per_s or 0) >= near.gb_per_s for a, b in combinations(cards, 2))
    )


def subsets(near, mask, *tests):
    every = combinations(positions(mask), near.count)
    return [cards for cards in every if len(cards) == 1 or all(test(near, cards) for test in tests)]


def island_size(near, mask, cards):
    """Of how many candidates the island is that holds all these cards."""
    if near.locality is Locality.SAME_SOCKET:
        return sum(near.numa[place] == near.numa[cards[0]] for place in positions(mask))
    free = list(positions(mask))
    if near.links is None or len(cards) == 1:
        return NO_ISLAND
    groups = [{place for place in free if _reaches(near, free, first, place)} for first in free]
    return next((len(group) for group in groups if set(cards) <= group), NO_ISLAND)


def _reaches(near, free, first, last):
    reached = {first}
    for _ in free:
        reached |= {b for a in reached for b in free if a != b and near.links.between(a, b).kind == "nvlink"}
    return last in reached


def offered(options, count):
    return {
        cards for each in options for cards in each.sets or map(mask_of, combinations(positions(each.cards), count))
    }


@given(machines())
def test_the_sets_are_those_that_the_demand_allows(case):
    near, mask = case
    allowed = subsets(near, mask, is_near, is_fast)

    assert offered(near.options(mask), near.count) == set(map(mask_of, allowed))


@given(machines())
def test_what_is_lacking(case):
    near, mask = case
    lacks = near.lacks(mask)
    if subsets(near, mask, is_near, is_fast) or mask.bit_count() < near.count:
        assert lacks == 0
        return
    joined, fast = subsets(near, mask, is_near), subsets(near, mask, is_fast)

    assert bool(lacks & APART) == (not joined)
    assert bool(lacks & SLOW) == (not fast or bool(joined))


def by_worth(worth):
    return lambda cards: (sum(worth[place] for place in cards), cards)


WORTH = st.lists(st.integers(0, 3), min_size=7, max_size=7)


@given(machines(), WORTH)
def test_the_smallest_island_then_the_least_worth_then_the_lowest_cards(case, worth):
    near, mask = case
    allowed = subsets(near, mask, is_near, is_fast)
    options = whole_options(near, mask, 1)
    if not allowed:
        assert options == ()
        return
    best = min(allowed, key=lambda cards: (island_size(near, mask, cards), by_worth(worth)(cards)))

    assert options[0].size == island_size(near, mask, best)
    assert tuple(positions(pick(options, worth, near.count))) == best


@cache
def most(near, slots):
    """The most sets that can be taken one after the other, by trying them all."""
    mask = mask_of(place for place, each in enumerate(slots) if each)
    return max((1 + most(near, without(slots, cards)) for cards in subsets(near, mask, is_near, is_fast)), default=0)


def without(slots, cards):
    return tuple(each - (place in cards) for place, each in enumerate(slots))


@given(machines())
def test_how_many_disjoint_sets_there_are(case):
    near, mask = case
    slots = tuple(mask >> place & 1 for place in range(near.width))

    assert most_copies(near, slots, 9) == most(near, slots)
    assert most_copies(near, slots, 2) == min(2, most(near, slots))


@given(machines(), WORTH, st.integers(2, 3))
def test_no_other_set_leaves_room_for_more(case, worth, copies):
    near, mask = case
    slots = tuple(mask >> place & 1 for place in range(near.width))
    possible = min(copies, most(near, slots))
    if not possible:
        return
    allowed = subsets(near, mask, is_near, is_fast)
    sparing = [cards for cards in allowed if 1 + most(near, without(slots, cards)) >= possible]
    best = min(sparing, key=lambda cards: (island_size(near, mask, cards), by_worth(worth)(cards)))
    options = whole_options(near, mask, copies)

    assert tuple(positions(pick(options, worth, near.count))) == best


@given(machines(most=4), st.lists(st.integers(0, 3), min_size=4, max_size=4), WORTH, st.integers(2, 4))
def test_shares_leave_room_for_as_many_copies_as_any_set(case, slots, worth, copies):
    near, _ = case
    slots = tuple(slots[: near.width])
    mask = mask_of(place for place, each in enumerate(slots) if each)
    possible = min(copies, most(near, slots))
    size, chosen = spared(near, slots, worth, copies)
    if not possible:
        assert chosen == 0
        return
    allowed = subsets(near, mask, is_near, is_fast)
    sparing = [cards for cards in allowed if 1 + most(near, without(slots, cards)) >= possible]
    best = min(sparing, key=lambda cards: (island_size(near, mask, cards), by_worth(worth)(cards)))

    assert tuple(positions(chosen)) == best
    assert size == island_size(near, mask, best)


@given(machines(), st.randoms(use_true_random=False))
def test_the_order_in_which_links_are_listed_does_not_matter(case, chance):
    near, mask = case
    if near.links is None:
        return
    gpus = [Gpu(card.index) for card in near.links.cards]
    pairs = list(zip(combinations(range(near.width), 2), near.links.links, strict=True))
    listed = [LinkSpec(a, b, link.kind, link.bandwidth_gb_per_s) for (a, b), link in pairs]
    shuffled = [LinkSpec(each.second, each.first, each.kind, each.bandwidth_gb_per_s) for each in listed]
    chance.shuffle(shuffled)
    first, second = (
        near_sets(wire_listed(each, gpus), near.numa, near.locality, near.gb_per_s, near.count)
        for each in (listed, shuffled)
    )

    assert first.options(mask) == second.options(mask)

"""The one formula gives for arrays what it gives for each of their numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from bayplan.cluster.remainder import CardAmounts, CardFacts, card_remainder, host_free, one_card_remainder

AMOUNTS = st.sampled_from([0, 1, 99, 100, 2000, 2001, 40_000])
KNOWN_OR_NOT = st.sampled_from([-1, 0, 1, 2000, 40_000])
COUNTS = st.integers(0, 2)
CARD = {
    "memory_mib": KNOWN_OR_NOT,
    "compute_milli": st.just(1000),
    "healthy": st.booleans(),
    "mig_enabled": st.booleans(),
    "mig_slices": st.sampled_from([4, 8]),
    "reserved_mib": AMOUNTS,
    "observed_mib": KNOWN_OR_NOT,
    "share_mib": AMOUNTS,
    "headroom_mib": AMOUNTS,
    "places": st.sampled_from([0, 1, 4]),
    "places_held": st.integers(0, 5),
    "idle_percent": st.sampled_from([5, 8]),
    "closes_full": st.booleans(),
    "share_milli": st.sampled_from([0, 300, 1000, 1300]),
    "shares": COUNTS,
    "wholes": COUNTS,
    "taken_slices": st.integers(0, 8),
}


def remainder(card):
    facts = CardFacts(**{name: card[name] for name in CardFacts._fields})
    held = CardAmounts(**{name: card[name] for name in CardAmounts._fields})
    return card_remainder(facts, held, card["taken_slices"], card["observed_mib"])


@given(st.lists(st.fixed_dictionaries(CARD), min_size=1, max_size=9))
def test_many_cards_at_once_and_one_by_one(cards):
    columns = {name: np.array([card[name] for card in cards]) for name in CARD}

    together = remainder(columns)

    for number, card in enumerate(cards):
        alone = remainder(card)
        assert tuple(column[number] for column in together) == tuple(alone)
        assert type(alone.wholly_free) is bool


@settings(max_examples=1000)
@given(st.fixed_dictionaries({**CARD, "wholes": st.integers(-1, 2)}), st.one_of(st.none(), AMOUNTS))
def test_the_twin_for_one_card_says_the_same(card, foreign):
    facts = CardFacts(**{name: card[name] for name in CardFacts._fields})
    held = CardAmounts(**{name: card[name] for name in CardAmounts._fields})

    twin = one_card_remainder(facts, held, card["taken_slices"], card["observed_mib"], foreign)

    formula = card_remainder(facts, held, card["taken_slices"], card["observed_mib"], foreign)
    assert twin == tuple(formula)
    assert list(map(type, twin)) == list(map(type, formula))


@given(st.fixed_dictionaries(CARD))
def test_nothing_is_promised_that_is_not_there(card):
    left = remainder(card)

    assert left.free_mib == -1 if card["memory_mib"] < 0 else 0 <= left.free_mib <= card["memory_mib"]
    assert 0 <= left.free_milli <= 1000
    assert left.wholly_free <= left.shareable
    if card["wholes"]:
        assert not left.shareable
        assert not left.cuttable
        assert left.free_mib <= 0
    if card["memory_mib"] >= 0 and not card["wholes"]:
        used = max(left.booked_mib + card["headroom_mib"], card["observed_mib"]) + card["reserved_mib"]
        assert left.free_mib == max(0, card["memory_mib"] - used)


@given(st.lists(st.tuples(KNOWN_OR_NOT, AMOUNTS, AMOUNTS), min_size=1))
def test_hosts_at_once_and_one_by_one(hosts):
    together = host_free(*(np.array(column) for column in zip(*hosts, strict=True)))

    assert together.tolist() == [host_free(*host) for host in hosts]
    for (capacity, booked, reserved), free in zip(hosts, together.tolist(), strict=True):
        assert free == (-1 if capacity < 0 else max(0, capacity - booked - reserved))

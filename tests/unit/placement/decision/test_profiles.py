"""A strategy is run with the levels that an ask needs, and with the quickest producers that answer it."""

import pytest

from bayplan.cluster.columns import MASK_CARDS
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile, Weighted
from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.constraints.anti_affinity import AntiAffinity
from bayplan.placement.decision.profiles import card_order, domain_profile, variant_of, variants
from bayplan.placement.filters.numa_single_node import NumaSingleNode
from bayplan.placement.producers.aligned_cards import AlignedCards
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.even_cards import EvenCards
from bayplan.placement.producers.one_card import OneCard
from bayplan.placement.producers.roomy_cards import RoomyCards
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.producers.whole_cards import WholeCards
from bayplan.placement.scorers.binpack import Binpack
from bayplan.placement.scorers.spread import Spread
from bayplan.placement.scorers.vgpu_high_performance import VgpuHighPerformance
from unit.placement.builders import ask, worker
from unit.placement.numa_builders import zoned

KNOWN = CardRule(needs_memory=True)
TWO_MODELS = CardRule(models=("a", "b"), needs_memory=True)
ONE, TWO = CardShape(1, 9), CardShape(2, 5)


def shares(*shapes, **others):
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": KNOWN, **others})


NAMES = {
    "a share of one card": (shares(ONE), "pack+one-card"),
    "whole cards": (ask(taking=Taking.WHOLE, shapes=(TWO,)), "pack+whole-cards"),
    "one shape of two cards": (shares(TWO), "pack"),
    "two shapes": (shares(ONE, TWO), "pack+fewest-cards"),
    "an order of models": (shares(TWO, rule=TWO_MODELS), "pack+model-preference"),
    "both": (shares(ONE, TWO, rule=TWO_MODELS), "pack+model-preference+fewest-cards"),
    "layers": (ask(taking=Taking.LAYERS, layers=Layers(1, 1, 0)), "pack+fewest-cards"),
    "oversold": (shares(ONE, overcommit=True), "pack+fewest-cards"),
    "slices": (ask(taking=Taking.SLICES, shapes=(ONE,), mig="1g.5gb"), "pack+slices"),
    "slices of an order of models": (
        ask(taking=Taking.SLICES, shapes=(ONE,), mig="1g.5gb", rule=TWO_MODELS),
        "pack+slices+model-preference",
    ),
    "no cards": (ask(), "pack"),
    "whole cards that are joined": (
        ask(taking=Taking.WHOLE, shapes=(CardShape(2),), locality=Locality.NVLINK),
        "pack+near-cards",
    ),
    "a share of compute": (
        ask(taking=Taking.SHARE, shapes=(ONE,), compute_milli=300, rule=CardRule()),
        "pack+one-share",
    ),
}


@pytest.mark.parametrize(("asked", "name"), NAMES.values(), ids=NAMES)
def test_which_variant_an_ask_needs(asked, name):
    assert variant_of("pack", asked) == name


def profile(*scorers, **others):
    producers = (UsableCards(), CardFit(), ChosenCards())
    return Profile("pack", MaxScore(), scorers=scorers or (Binpack(),), producers=producers, **others)


def made(what, *workers, extras=()):
    return {each.name: each for each in variants(what, Snapshot.load(workers or [worker(cards=2)]), extras)}


def test_every_variant_is_there():
    assert set(made(profile())) == {name for _, name in NAMES.values()}


def test_placements_own_levels_come_first():
    scorers = made(profile(Weighted(Binpack(), 2.0, level=3)))["pack+model-preference+fewest-cards"].weighted

    assert [(each.scorer.name, each.level) for each in scorers] == [
        ("model-preference", 1),
        ("fewest-cards", 2),
        ("binpack", 3),
    ]


def test_a_profile_without_scorers_shows_no_level_of_placement_as_its_score():
    empty = Profile("pack", MaxScore(), producers=(UsableCards(), CardFit()))
    scorers = made(empty)["pack+fewest-cards"].weighted

    assert [each.scorer.name for each in scorers] == ["fewest-cards", "no-score"]
    assert scorers[-1].level > scorers[0].level


def test_filters_that_some_workloads_need():
    for each in made(profile(), extras=(AntiAffinity(),)).values():
        assert [use.name for use in each.named_filters] == ["anti-affinity"]


def producers(each):
    return {type(use.plugin) for use in each.named_producers}


def test_quick_producers_stand_for_two():
    found = made(profile())

    assert producers(found["pack+one-card"]) == {UsableCards, OneCard}
    assert producers(found["pack+whole-cards"]) == {UsableCards, WholeCards}
    assert producers(found["pack"]) == {UsableCards, CardFit, ChosenCards}


def test_quick_producers_only_where_nobody_reads_more():
    found = made(profile(Spread()))

    assert producers(found["pack+one-card"]) == producers(found["pack"]) == {UsableCards, CardFit, EvenCards}


@pytest.mark.parametrize(("cards", "quick"), [(MASK_CARDS, True), (MASK_CARDS + 1, False)])
def test_bits_count_no_more_cards_than_there_are_bits(cards, quick):
    found = made(profile(), worker(cards=cards))

    assert (WholeCards in producers(found["pack+whole-cards"])) is quick


ORDERS = {
    "pack": ((Binpack(),), "tight", ChosenCards),
    "spread": ((Spread(),), "even", EvenCards),
    "both": ((Binpack(), Spread()), "even", EvenCards),
    "vgpu-high-performance": ((VgpuHighPerformance(),), "roomy", RoomyCards),
}


@pytest.mark.parametrize(("scorers", "order", "producer"), ORDERS.values(), ids=ORDERS)
def test_how_cards_are_chosen(scorers, order, producer):
    assert card_order(profile(*scorers)) == order
    assert producer in producers(made(profile(*scorers))["pack"])


def test_domains_are_scored_on_the_scale_of_their_workers():
    found = domain_profile(profile(Weighted(Binpack(), 3.0), Weighted(Spread(), 2.0)), Snapshot.load([worker()]))
    (use,) = found.weighted

    assert (found.name, use.scorer.name, use.weight) == ("domains", "domain-score", 5.0)


def test_numa_zones_are_looked_at_where_a_worker_insists_on_them():
    zones = zoned((1, 9), cards=[0])
    for on, wanted in ((worker(cards=1), False), (zones, True)):
        for filters in ((), (NumaSingleNode(),)):
            profile = Profile("pack", MaxScore(), filters=filters, producers=(UsableCards(), CardFit(), ChosenCards()))
            made = {each.name: each for each in variants(profile, Snapshot.load([on]))}
            quick = made["pack+whole-cards"]

            assert [each.name for each in quick.named_filters] == ["numa-single-node"] * wanted
            assert any(isinstance(each.plugin, AlignedCards) for each in quick.named_producers) == wanted
            assert any(isinstance(each.plugin, WholeCards) for each in quick.named_producers) == (not wanted)

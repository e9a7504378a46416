"""Frequencies: given, learnt, and what is expected beyond what was seen."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import Layers, Taking
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.mix import ENOUGH, LARGE, MOST, Mix
from unit.placement.builders import ask
from unit.placement.scorers.packed import percent, wholes


def learnt(*asks):
    mix = Mix()
    for each in asks:
        mix.observe(each)
    return mix


def test_a_given_mix_is_known_and_learns_nothing():
    mix = Mix.of([wholes(1), wholes(1), percent(30), wholes(1)])
    mix.observe(wholes(8))

    assert mix.known
    assert mix.doubt == 0.0
    assert mix.weights() == {demand_of(wholes(1)): 0.75, demand_of(percent(30)): 0.25}


def test_a_learnt_mix_is_known_from_the_thousandth_on():
    mix = learnt(*[wholes(1)] * (ENOUGH - 1))
    assert not mix.known

    mix.observe(wholes(1))
    assert mix.known


def test_what_is_learnt_counts_what_was_seen():
    weights = learnt(wholes(1), percent(30), wholes(1), ask(cpu_milli=100)).weights()

    seen = {demand: weight for demand, weight in weights.items() if weight}
    assert seen == {demand_of(wholes(1)): 0.5, demand_of(percent(30)): 0.25, demand_of(ask(cpu_milli=100)): 0.25}


def test_large_demands_are_there_before_any_was_seen():
    mix = learnt(wholes(1, 4), wholes(1, 8))
    large = {demand.cards: demand for demand, weight in mix.weights().items() if not weight}

    assert tuple(sorted(large)) == LARGE
    assert large[8].cpu_milli == 48_000
    assert mix.doubt == 0.5


def test_a_large_demand_that_was_seen_keeps_its_frequency():
    mix = learnt(wholes(8), wholes(1))

    assert mix.weights()[demand_of(wholes(8))] == 0.5


def test_doubt_fades():
    assert learnt(*[wholes(1)] * 10).doubt == pytest.approx(10 * learnt(*[wholes(1)] * 100).doubt)


def test_nothing_seen_says_nothing():
    assert (Mix().weights(), Mix().doubt, Mix({}).weights()) == ({}, 0.0, {})


def test_what_packing_does_not_foresee_is_seen_and_not_counted():
    mix = learnt(ask(taking=Taking.LAYERS, layers=Layers(1, 1, 0)))

    assert mix.seen == 1
    assert mix.weights() == {}


def test_the_order_of_what_was_seen_does_not_matter():
    asks = [wholes(2), percent(30), ask(cpu_milli=5), wholes(1)]

    assert list(learnt(*asks).weights().items()) == list(learnt(*reversed(asks)).weights().items())


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_what_is_no_frequency_is_refused(weight):
    with pytest.raises(InputError, match="is no frequency; give a finite number, 0 or more"):
        Mix({wholes(1): weight})


def test_the_rarest_of_very_many_demands_are_forgotten():
    often = [ask(cpu_milli=1), wholes(4)] * 3
    mix = learnt(*often, *(ask(cpu_milli=10 + number) for number in range(3 * MOST)))

    assert mix.seen == 6 + 3 * MOST
    assert MOST // 2 <= len(mix.counts) <= MOST
    assert (mix.counts[demand_of(wholes(4))], mix.counts[demand_of(ask(cpu_milli=1))]) == (3.0, 3.0)
    assert demand_of(ask(cpu_milli=9 + 3 * MOST)) in mix.counts
    assert demand_of(ask(cpu_milli=10)) not in mix.counts

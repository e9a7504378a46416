"""Outlooks: kinds of workers, futures, prices, and what is scarce."""

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.packing.demand import NEVER_MILLI
from bayplan.placement.packing.mix import Mix
from bayplan.placement.packing.outlook import FINE, LENGTH, SAMPLES, STEPS, draw, look_out, steer, steps, typical
from unit.placement.builders import ask, gpu, hash_of, worker
from unit.placement.scorers.packed import held, host, percent, wholes

T4 = [gpu(0, model="T4", memory_mib=16_384)]
ON_T4 = wholes(1, rule=CardRule(models=("T4",)))


def outlook(mix, *workers, bookings=(), epoch=0):
    return look_out(mix, Snapshot.load(workers, bookings).table, epoch)


def test_no_cards_asked_for_is_no_outlook():
    assert outlook(Mix.of([ask(cpu_milli=1)]), host(8)) is None
    assert outlook(Mix(), host(8)) is None
    assert outlook(Mix.of([wholes(1)])) is None


def test_workers_that_may_hold_the_same_are_of_one_kind():
    found = outlook(Mix.of([wholes(1), ON_T4]), host(1, name="a"), host(2, name="b"), worker("t", cards=T4))
    a, b, t, stranger = found.kind_of(np.array([hash_of(name) for name in "abtx"])).tolist()

    assert a == b != t
    assert found.need_milli[a].tolist().count(NEVER_MILLI) == 1
    assert set(found.need_milli[stranger].tolist()) == {NEVER_MILLI}


def test_futures_hold_each_demand_as_often_as_its_frequency_says():
    futures = draw(np.array([0.5, 0.3, 0.2]), np.random.default_rng(3))

    assert futures.shape == (SAMPLES, LENGTH)
    assert np.bincount(futures.ravel()) == pytest.approx(SAMPLES * LENGTH * np.array([0.5, 0.3, 0.2]), abs=1)


def test_steps_stand_for_equal_parts():
    assert np.bincount(steps(np.array([0.5, 0.25, 0.25]))).tolist() == [STEPS // 2, STEPS // 4, STEPS // 4]


def test_an_epoch_has_its_own_futures_always_the_same():
    mix = Mix.of([wholes(1), percent(30)])
    first, again, other = (outlook(mix, host(8), epoch=epoch).futures.tolist() for epoch in (0, 0, 1))

    assert first == again != other


TYPICAL = {
    "enough with two": ([0.6, 0.35, 0.05], [0.6 / 0.95, 0.35 / 0.95, 0.0]),
    "all are needed": ([0.5, 0.4, 0.1], [0.5, 0.4, 0.1]),
    "the commonest, wherever it stands": ([0.02, 0.98], [0.0, 1.0]),
}


@pytest.mark.parametrize(("chances", "wanted"), TYPICAL.values(), ids=TYPICAL)
def test_typical(chances, wanted):
    assert typical(np.array(chances)).tolist() == pytest.approx(wanted)


def test_room_for_several_cards_has_a_price_that_rises_as_it_runs_out():
    mix = Mix({wholes(8): 1.0, wholes(1): 9.0})
    plenty = outlook(mix, *(host(8, name=f"w{number}") for number in range(4)))
    few = outlook(
        mix,
        *(host(8, name=f"w{number}") for number in range(4)),
        bookings=[held(0, on=f"w{number}") for number in range(3)],
    )

    assert plenty.price[plenty.cards == 1].tolist() == [0]
    assert 0 < plenty.price.max() < few.price.max()


def test_what_some_insist_on_is_scarce():
    many = [host(8, name=f"w{number}") for number in range(4)]
    found = outlook(Mix({ON_T4: 1.0, wholes(1): 3.0}), *many, worker("t", cards=T4))
    plain, t4 = found.scarcity[found.kind_of(np.array([hash_of("w0"), hash_of("t")]))].tolist()

    assert plain == 0
    assert t4 == pytest.approx(0.25 * 33 * FINE, abs=1)


def test_nobody_insists_nothing_is_scarce():
    assert not outlook(Mix.of([wholes(1), wholes(2)]), host(8), worker("t", cards=T4)).scarcity.any()


def test_doubt_makes_scarce_what_nobody_asked_for_yet_once_anybody_insists():
    def scarcity(*asks):
        mix = Mix()
        for each in asks:
            mix.observe(each)
        a100 = worker("a", cards=1)
        many = [worker(f"h{number}", cards=[gpu(0, model="H100-SXM5-80GB")]) for number in range(9)]
        found = outlook(mix, a100, worker("t", cards=T4), *many)
        kinds = found.kind_of(np.array([hash_of("a"), hash_of("h0")]))
        return found.scarcity[kinds].tolist()

    assert scarcity(wholes(1), wholes(1)) == [0, 0]
    rare, common = scarcity(wholes(1), ON_T4)
    assert rare > common > 0


def test_whoever_finds_a_less_scarce_kind_stays_away_from_a_scarce_one():
    need = np.array([[NEVER_MILLI, NEVER_MILLI], [1000, NEVER_MILLI], [1000, 1000]])
    futures = np.array([[0, 1] * 50])
    there = np.array([False, True, True])
    found = steer(futures, need, np.array([0.0, 0.0, 1.5]), there, np.random.default_rng(0))

    assert found[1].tolist() == [[1000, NEVER_MILLI] * 50]
    assert found[2].tolist() == [[NEVER_MILLI, 1000] * 50]

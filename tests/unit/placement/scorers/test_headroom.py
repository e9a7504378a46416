"""Headroom: who costs the future least, and what `why` says about it."""

import pytest

from bayplan.placement.asks.ask import CardRule, Layers, Taking
from bayplan.placement.scorers.best_fit import BestFit
from bayplan.placement.scorers.headroom import Headroom
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import terms
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, percent, wholes

T4 = wholes(1, rule=CardRule(models=("T4",)))


def best(asked, *workers, bookings=(), mix):
    found = terms(Headroom(), asked, *workers, bookings=bookings, mix=mix)
    return max(found, key=lambda name: found[name].score)


def test_a_share_goes_where_the_rest_is_of_use():
    """Of one card 60 percent are free, of the other all; what else comes takes 60 percent, or all."""
    workers = host(1, 64, name="used"), host(1, 64, name="idle")
    used = (held(0, mib=16_384, on="used"),)

    mix = {percent(60): 1, wholes(1): 1}
    assert best(percent(60), *workers, bookings=used, mix=mix) == "used"
    assert best(part(16_384), *workers, bookings=used, mix=mix) == "idle"


def test_an_idle_large_worker_is_kept_for_large_workloads():
    workers = host(8, 64, name="large"), host(2, 64, name="small")

    assert best(wholes(1), *workers, mix={wholes(8): 1, wholes(1): 5}) == "small"


def test_cards_that_others_insist_on_are_left_to_them():
    workers = worker("t4", cards=[gpu(0, model="T4")]), worker("plain", cards=1)

    assert best(wholes(1), *workers, mix={T4: 1, wholes(1): 1}) == "plain"


def test_cards_are_not_left_without_cpu():
    """A card takes 8 cores: who takes none of them should not stand where cards are idle."""
    workers = host(2, 16, name="balanced"), host(2, 32, name="spare")

    assert best(ask(cpu_milli=16_000), *workers, mix={wholes(1, 8): 1}) == "spare"


def test_until_the_mix_is_known_it_is_best_fit():
    workers = host(8, 64, name="a"), host(2, 32, name="b")
    ahead, fit = (terms(scorer, wholes(1, 4), *workers) for scorer in (Headroom(), BestFit()))

    assert [term.score for term in ahead.values()] == [term.score for term in fit.values()]
    assert {term.note for term in ahead.values()} == {"the mix of workloads is not known: best fit"}


def test_what_the_mix_does_not_foresee_is_best_fit():
    asked = ask(taking=Taking.LAYERS, layers=Layers(4, 100, 0), rule=CardRule(needs_memory=True))
    found = terms(Headroom(), asked, host(2, 32), mix={wholes(1): 1})

    assert found["a"].note == "the mix does not foresee it: best fit"


def test_the_note_says_what_it_costs_the_future():
    mix = {wholes(8): 1, wholes(1): 5}
    found = terms(Headroom(), wholes(1), host(8, 64, name="large"), host(2, 64, name="small"), mix=mix)

    assert found["small"].note.endswith("+0.00 of room for large workloads, +0.00 of scarce cards")
    assert found["large"].note.startswith("costs the future ")
    assert "+0.00 of room" not in found["large"].note


@pytest.mark.parametrize("mix", [None, {wholes(8): 1, wholes(1, 4): 20, percent(30, 2): 20}], ids=["none", "known"])
def test_scores_stay_within_0_and_1(mix):
    for asked in ASKS:
        for term in terms(Headroom(), asked, *(host(8, 64, name=f"w{n}") for n in range(3)), mix=mix).values():
            assert 0.0 <= term.score <= 1.0


def test_contract():
    keeps_its_promises(Headroom(), WORKERS, ASKS)

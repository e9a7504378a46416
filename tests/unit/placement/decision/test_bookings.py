"""From a worker to cards, and to the booking of them."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.asks.siblings import Siblings
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.bookings import Devices
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, hash_of, subject, worker

KNOWN = CardRule(needs_memory=True)
H100 = "H100-SXM5-80GB"


def shares(need_mib, cards=1, **others):
    return ask(
        **{"taking": Taking.SHARE, "shapes": (CardShape(cards, need_mib, overhead_mib=10),), "rule": KNOWN, **others}
    )


def cards(*sizes, **others):
    return [gpu(number, memory_mib=mib, **others) for number, mib in enumerate(sizes)]


def resolved(asked, gpus, *booked, order="tight", who=None, **others):
    """What the resolve step says of the only worker; it has more than enough CPU and RAM."""
    where = worker(cards=gpus, **{"cpu_milli": 1000, "ram_mib": 1000, **others})
    snapshot = Snapshot.load([where], (booking("other", *booked),) if booked else ())
    cycle = SimpleNamespace(subject=who or subject())
    return Devices(snapshot, order).resolve(asked, snapshot.table, 0, cycle), snapshot


def placed(asked, gpus, *booked, **others):
    return resolved(asked, gpus, *booked, **others)[0].value


HALF, STATIC = Fit(Fraction(1, 2), FractionOf.CARD), Fit(Fraction(1, 2), FractionOf.STATIC)
MIXED = [gpu(0, memory_mib=80, model=H100), *[gpu(number, memory_mib=40) for number in (1, 2)]]
BY_LAYERS = {"taking": Taking.LAYERS, "rule": CardRule(needs_memory=True, mixes_models=True)}

CARDS = {
    "a share of the tightest": (shares(30), cards(80, 40), (), [share(1, 30)]),
    "shares of two": (shares(30, 2), cards(80, 40, 50), (), [share(1, 30), share(2, 30)]),
    "what is left of a card": (shares(30), cards(80, 40), (share(0, 45),), [share(0, 30)]),
    "what a flag takes": (shares(30, fit=HALF), cards(80), (), [share(0, 40)]),
    "what a flag takes, and the engine": (shares(30, fit=STATIC), cards(80), (), [share(0, 50)]),
    "memory and compute": (shares(30, compute_milli=250), cards(80), (), [share(0, 30, 250)]),
    "compute alone": (shares(0, rule=CardRule(), compute_milli=250), cards(80), (), [share(0, None, 250)]),
    "whole": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), cards(80, 40), (whole(1),), [whole(0)]),
    "whole, of the smaller kind": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), MIXED, (), [whole(1)]),
    "whole, of the kind that has enough": (
        ask(taking=Taking.WHOLE, shapes=(CardShape(2),)), MIXED, (), [whole(1), whole(2)],
    ),
    "whole, of chosen cards": (
        ask(taking=Taking.WHOLE, shapes=(CardShape(1),), gpu_ids=["a:cuda:0"]), MIXED, (), [whole(0)],
    ),
    "a share of chosen cards": (shares(30, gpu_ids=["a:cuda:0"]), cards(80, 40), (), [share(0, 30)]),
    "of the preferred model": (
        shares(30, rule=CardRule(models=("H100", "A100"), needs_memory=True)), MIXED, (), [share(0, 30)],
    ),
    "of another runtime": (shares(30), cards(40, runtime="rocm"), (), [share(0, 30, runtime="rocm")]),
    "by layers": (
        ask(layers=Layers(10, Fraction(10), 5), **BY_LAYERS), cards(75, 55), (), [share(0, 65), share(1, 45)],
    ),
    "layers take compute too": (
        ask(layers=Layers(2, Fraction(10), 5), compute_milli=100, **BY_LAYERS), cards(25), (), [share(0, 25, 100)],
    ),
    "nothing": (ask(), cards(80), (), []),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "gpus", "booked", "wanted"), CARDS.values(), ids=CARDS)
def test_cards(asked, gpus, booked, wanted):
    (share,) = placed(asked, gpus, *booked).shares

    assert list(share.booking.cards) == wanted


@pytest.mark.parametrize(("asked", "gpus", "booked", "wanted"), CARDS.values(), ids=CARDS)
def test_the_row_is_written_as_if_it_were_booked(asked, gpus, booked, wanted):
    resolution, snapshot = resolved(asked, gpus, *booked)
    before = (booking("other", *booked),) if booked else ()
    after = Snapshot.load(snapshot.workers, (*before, *resolution.value.bookings)).table.columns
    fork = snapshot.table.fork()
    fork.write(0, resolution.writes[0])
    written = fork.gather(STATE_NAMES, np.array([0]))

    assert {name: written[name].tolist() for name in STATE_NAMES} == {
        name: after[name].tolist() for name in STATE_NAMES
    }


@pytest.mark.parametrize(("asked", "gpus", "booked", "wanted"), CARDS.values(), ids=CARDS)
def test_whoever_asks_about_a_row_that_was_not_picked_is_told_the_same(asked, gpus, booked, wanted):
    resolution, snapshot = resolved(asked, gpus, *booked)

    assert Devices(snapshot, "tight").placed(asked, snapshot.table, 0, subject()) == resolution.value


def test_the_booking_says_whose_it_is_and_what_of_the_host():
    who = subject("chat", replica=3, priority=7, gang="chat")
    (share,) = placed(ask(cpu_milli=5, ram_mib=6), [], who=who).shares

    assert share.booking == booking("chat", replica=3, on="a", cpu_milli=5, ram_mib=6, priority=7, gang="chat")
    assert share.layers is None


def test_the_shape_that_fits_is_told():
    asked = ask(taking=Taking.SHARE, shapes=(CardShape(1, 60, tp=1), CardShape(2, 30, tp=2)), rule=KNOWN)

    assert placed(asked, cards(40, 40)).shape == CardShape(2, 30, tp=2)
    assert placed(asked, cards(40, 60)).shape == CardShape(1, 60, tp=1)


LEFT = {
    "none": (Layers(6, Fraction(10), 0), 6, 0),
    "those that find no room": (Layers(10, Fraction(21, 2), 0, partial=True), 7, 32),
    "those that a flag keeps": (Layers(6, Fraction(10), 0, kept=4), 6, 40),
}


@pytest.mark.parametrize(("layers", "on_cards", "ram_mib"), LEFT.values(), ids=LEFT)
def test_layers_that_stay_are_booked_on_the_host(layers, on_cards, ram_mib):
    (share,) = placed(ask(layers=layers, ram_mib=9, **BY_LAYERS), cards(45, 35)).shares

    assert share.layers == on_cards
    assert share.booking.ram_mib == 9 + ram_mib


OVERSOLD = {
    "one card": (Tier.ONE_WORKER, (CardShape(1, 60), CardShape(2, 55)), (), Tier.ONE_GPU, 20),
    "two cards": (Tier.ONE_WORKER, (CardShape(1, 90), CardShape(2, 45)), (), Tier.ONE_WORKER, 10),
    "as requested": (Tier.AS_REQUESTED, (CardShape(1, 60),), (), Tier.AS_REQUESTED, 20),
    "beside others": (Tier.ONE_WORKER, (CardShape(1, 30),), (share(0, 40), share(1, 35)), Tier.ONE_GPU, 25),
    "it fits after all": (Tier.ONE_WORKER, (CardShape(1, 30),), (), Tier.ONE_GPU, 0),
}


@pytest.mark.parametrize(("tier", "shapes", "booked", "wanted", "mib"), OVERSOLD.values(), ids=OVERSOLD)
def test_what_is_oversold(tier, shapes, booked, wanted, mib):
    asked = ask(tier=tier, taking=Taking.SHARE, shapes=shapes, rule=KNOWN, overcommit=True)
    answer = placed(asked, cards(40, 40), *booked)

    assert (answer.tier, answer.oversold_mib) == (wanted, mib)


def test_what_a_flag_oversells():
    assert placed(shares(10, fit=HALF, overcommit=True), cards(100), share(0, 70)).oversold_mib == 20


def test_even_cards():
    mine = Siblings.of({hash_of("a"): (1, {0: 1})})
    answer = placed(shares(10), cards(40, 80), order="even", who=subject(siblings=mine))

    assert answer.bookings[0].cards == (CardBooking(1, memory_mib=10),)


def test_a_look_at_who_could_take_part_is_no_placement():
    resolution, _ = resolved(shares(10, spans=True), cards(40))

    assert (resolution.value, resolution.writes) == (None, {})

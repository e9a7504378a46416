"""Cost saving: the fullest of the candidates scores 1, the emptiest 0."""

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.scorers.vgpu_cost_saving import VgpuCostSaving
from fleets import booking, share, whole
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import terms

SHARE = ask(taking=Taking.SHARE, shapes=(CardShape(1, 2_000),), rule=CardRule(needs_memory=True))
THREE = [worker(name, cards=2) for name in "abc"]

CASES = {
    "nothing is booked": ((), {"a": 1.0, "b": 1.0, "c": 1.0}),
    "between the emptiest and the fullest": (
        (booking("x", share(0, 4_000)), booking("y", share(0, 10_000), on="c")),
        {"a": 0.4, "b": 0.0, "c": 1.0},
    ),
    "a whole card counts with its size": (
        (booking("x", whole(0)), booking("y", share(0, 20_480), on="b")),
        {"a": 1.0, "b": 0.5, "c": 0.0},
    ),
    "bookings without cards do not count": (
        (booking("x", ram_mib=9), booking("y", share(0, 8), on="b")),
        {"a": 0.0, "b": 1.0, "c": 0.0},
    ),
    "who cannot hold it takes no part": (
        (booking("x", whole(0), whole(1)), booking("y", share(0, 10), on="b")),
        {"b": 1.0, "c": 0.0},
    ),
}


@pytest.mark.parametrize(("bookings", "wanted"), CASES.values(), ids=CASES)
def test_score(bookings, wanted):
    found = terms(VgpuCostSaving(), SHARE, *THREE, bookings=bookings)

    assert {name: term.score for name, term in found.items()} == pytest.approx(wanted)


def test_the_tightest_card_is_taken():
    assert VgpuCostSaving.cards == "tight"


def test_contract():
    keeps_its_promises(VgpuCostSaving(), THREE, [ask(), SHARE])

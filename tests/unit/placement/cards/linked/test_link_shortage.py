"""What is said of workers whose cards suffice in number: several rows at once, several kinds of cards, layers."""

from fractions import Fraction

import pytest

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.cards.linked.link_shortage import not_fast, not_near
from fleets import booking, whole
from unit.placement.builders import ask, gpu, seen, worker

NVLINK, SOCKET = Locality.NVLINK, Locality.SAME_SOCKET
MEMORY = CardRule(needs_memory=True)


def eight(wiring, name="a", **others):
    cards = [gpu(number, **{"memory_mib": 40, "numa": number // 4, "pcie_gen": 4, **others}) for number in range(8)]
    return worker(name, cards=cards, links=None if wiring is None else wire(wiring, cards))


def wholes(count, locality=None, gb_per_s=0.0):
    shapes = (CardShape(count),)
    return ask(taking=Taking.WHOLE, shapes=shapes, locality=locality, min_bandwidth_gb_per_s=gb_per_s)


def by_layers(count, mib, **others):
    return ask(taking=Taking.LAYERS, layers=Layers(count, Fraction(mib), 0), rule=MEMORY, **others)


def test_each_row_for_itself():
    held = (booking("o", *map(whole, (0, 1, 4, 5)), on="c"),)
    rows = seen(
        wholes(4, NVLINK), eight(Wiring.PCIE), eight(Wiring.NVLINK_PAIRS, "b"), eight(Wiring.NVLINK_QUADS, "c"),
        bookings=held,
    )  # fmt: skip
    reasons = not_near(wholes(4, NVLINK), rows)

    assert reasons.code == "locality"
    assert list(reasons.curable) == [False, False, True]
    assert [list(reasons.columns[name]) for name in ("needed", "free", "usable")] == [[4, 4, 4], [1, 2, 2], [8, 8, 4]]


def test_the_kind_with_the_most_free_cards_is_told():
    """Neither model has two cards of one socket; of one more are free."""
    cards = [gpu(number, model="L4" if number > 2 else "A10", numa=number % 3) for number in range(5)]
    reasons = not_near(wholes(2, SOCKET), seen(wholes(2, SOCKET), worker(cards=cards)))

    assert (list(reasons.columns["usable"]), list(reasons.columns["free"])) == ([3], [1])


FAST = {
    "the best of all sets": (wholes(2, None, 900.0), Wiring.NVSWITCH, [600.0]),
    "the best that the locality allows": (wholes(4, NVLINK, 900.0), Wiring.NVLINK_QUADS, [200.0]),
    "of any, where the locality allows none": (wholes(2, NVLINK, 900.0), Wiring.PCIE, [32.0]),
    "nobody knows": (wholes(2, None, 1.0), None, [None]),
}


@pytest.mark.parametrize(("asked", "wiring", "free"), FAST.values(), ids=FAST)
def test_how_fast_the_best_set_is(asked, wiring, free):
    reasons = not_fast(asked, seen(asked, eight(wiring)))

    assert (reasons.code, list(reasons.columns["free"])) == ("bandwidth-short", free)


LAYERS = {
    "in pairs": (by_layers(12, 10, locality=NVLINK), (), 8, False, "that NVLink joins"),
    "of one socket, were nobody there": (by_layers(12, 10, locality=SOCKET), (0, 4), 12, True, "of one socket"),
    "fast": (
        by_layers(12, 10, min_bandwidth_gb_per_s=600.0), (), 8, False, "with 600 GB/s between every two"),
    "joined and fast": (
        by_layers(9, 10, locality=NVLINK, min_bandwidth_gb_per_s=600.0), (), 8, False,
        "that NVLink joins with 600 GB/s between every two"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "held", "free", "curable", "how"), LAYERS.values(), ids=LAYERS)
def test_layers(asked, held, free, curable, how):
    bookings = (booking("o", *map(whole, held)),) if held else ()
    rows = seen(asked, eight(Wiring.NVLINK_PAIRS), bookings=bookings)
    reasons = not_near(asked, rows) if asked.locality else not_fast(asked, rows)

    assert reasons.columns["needed"] == asked.layers.count
    assert (list(reasons.columns["free"]), list(reasons.curable)) == ([free], [curable])
    assert reasons.columns["how"] == how

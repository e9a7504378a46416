"""Whether cards are linked as fast as a workload wants them."""

import pytest

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.filters.bandwidth import Bandwidth
from bayplan.placement.filters.locality import NearCards
from fleets import booking, whole
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, worker

CARDS = [gpu(number, memory_mib=40, numa=number // 4, pcie_gen=4) for number in range(8)]
UNSAID = [gpu(number, memory_mib=40, model="Unheard") for number in range(4)]


def wholes(count, gb_per_s, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), min_bandwidth_gb_per_s=gb_per_s, **others)


def on(wiring, cards=CARDS):
    return worker(cards=cards, links=None if wiring is None else wire(wiring, cards))


def verdict(asked, where, *held, plugin=None):
    bookings = (booking("other", *map(whole, held)),) if held else ()
    return judge(plugin or Bandwidth(), asked, where, bookings=bookings)


NVLINK = {"locality": Locality.NVLINK}
MESH = on(Wiring.HYBRID_CUBE_MESH)

REFUSED = {
    "PCIe is slow": (wholes(8, 600.0), on(Wiring.PCIE), (), 32.0, False),
    "nobody is that fast": (wholes(2, 900.0), on(Wiring.NVSWITCH), (), 600.0, False),
    "across pairs": (wholes(3, 600.0), on(Wiring.NVLINK_PAIRS), (), 32.0, False),
    "one brick of the cube mesh": (wholes(2, 100.0), MESH, (2, 3, 4, 5, 6, 7), 50.0, True),
    "four of the cube mesh": (wholes(4, 100.0), MESH, (), 50.0, False),
    "links that nobody told": (wholes(2, 1.0), on(None), (), None, False),
    "speeds that nobody told": (wholes(2, 1.0), on(Wiring.NVSWITCH, UNSAID), (), None, False),
    "joined, but too slow": (wholes(2, 100.0, **NVLINK), MESH, (2, 3, 4, 5, 6, 7), 50.0, True),
    "fast enough only where it is not joined": (
        wholes(2, 32.0, locality=Locality.SAME_SOCKET), on(Wiring.NVSWITCH, UNSAID), (), None, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "held", "free", "curable"), REFUSED.values(), ids=REFUSED)
def test_refused(asked, where, held, free, curable):
    refused = verdict(asked, where, *held)

    assert (refused.code, refused.unit) == ("bandwidth-short", "GB/s")
    assert (refused.needed, refused.free, refused.curable) == (asked.min_bandwidth_gb_per_s, free, curable)


KEPT = {
    "a switch": (wholes(8, 600.0), on(Wiring.NVSWITCH)),
    "PCIe is enough": (wholes(8, 32.0), on(Wiring.PCIE)),
    "a third of NVLink in a quad": (wholes(4, 200.0), on(Wiring.NVLINK_QUADS)),
    "two bricks": (wholes(2, 100.0), MESH),
    "one card": (wholes(1, 900.0), on(None)),
    "nothing is demanded": (wholes(8, 0.0), on(None)),
    "too few cards are another's question": (wholes(9, 600.0), on(Wiring.PCIE)),
}


@pytest.mark.parametrize(("asked", "where"), KEPT.values(), ids=KEPT)
def test_kept(asked, where):
    assert verdict(asked, where).code is None


BOTH = {
    "links that nobody told": (wholes(2, 1.0, **NVLINK), on(None), ("locality", "bandwidth-short")),
    "neither joined nor fast": (wholes(3, 600.0, **NVLINK), on(Wiring.NVLINK_PAIRS), ("locality", "bandwidth-short")),
    "fast, but not joined": (wholes(2, 32.0, **NVLINK), on(Wiring.PCIE), ("locality", None)),
    "joined, but slow": (wholes(2, 700.0, **NVLINK), on(Wiring.NVSWITCH), (None, "bandwidth-short")),
}


@pytest.mark.parametrize(("asked", "where", "codes"), BOTH.values(), ids=BOTH)
def test_locality_and_bandwidth_are_told_apart(asked, where, codes):
    assert (verdict(asked, where, plugin=NearCards()).code, verdict(asked, where).code) == codes


def test_what_people_read():
    assert verdict(wholes(2, 900.0), on(Wiring.NVSWITCH)).message == (
        "needs 900 GB/s between every two of 2 cards; the best of its 8 free ones have 600"
    )
    assert verdict(wholes(2, 900.0), on(None)).message == (
        "needs 900 GB/s between every two of 2 cards; how its cards are linked is not known"
    )


def test_contract():
    workers = [on(Wiring.NVSWITCH), on(Wiring.PCIE), on(Wiring.NVLINK_PAIRS), on(None)]
    made = {"fit_order": [0, -3, -4, -1], "card_rank": [[0] * 8] * 4, "card_leader": [[0] * 8] * 4}
    keeps_its_promises(Bandwidth(), workers, [wholes(4, 600.0), wholes(3, 0.0)], made=made)

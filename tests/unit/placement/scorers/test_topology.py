"""Links, NUMA zones and PCIe of the cards that would be taken, by hand."""

import pytest

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.scorers.topology import Topology
from fleets import booking, whole
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score

ONE, TWO, FOUR = (ask(taking=Taking.WHOLE, shapes=(CardShape(count),)) for count in (1, 2, 4))


def cards(*numa, pcie_gen=5, **others):
    return [gpu(index, numa=zone, pcie_gen=pcie_gen, **others) for index, zone in enumerate(numa)]


def wired(gpus, wiring, name="a"):
    return worker(name, cards=gpus, links=None if wiring is None else wire(wiring, gpus))


MIXED = [gpu(0, numa=0, pcie_gen=5), gpu(1, numa=0, pcie_gen=3)]
SWITCH, PCIE, PAIRS = Wiring.NVSWITCH, Wiring.PCIE, Wiring.NVLINK_PAIRS
CASES = {
    "one card has no link": (ONE, cards(0, 0), PCIE, 1.0, ""),
    "one card of an older generation": (ONE, cards(0, pcie_gen=4), SWITCH, 0.9, ""),
    "a newer one than that is no better": (ONE, cards(0, pcie_gen=6), SWITCH, 1.0, ""),
    "two cards of a switch": (TWO, cards(0, 0), SWITCH, (600 / 900 + 1 + 1) / 3, ""),
    "two cards of two zones": (TWO, cards(0, 1), SWITCH, (600 / 900 + 1 / 2 + 1) / 3, ""),
    "two cards of one of several zones": (TWO, cards(1, 1), SWITCH, (600 / 900 + 1 + 1) / 3, ""),
    "four cards of three zones": (FOUR, cards(0, 1, 2, 2), SWITCH, (600 / 900 + 1 / 3 + 1) / 3, ""),
    "PCIe": (TWO, cards(0, 0), PCIE, (64 / 900 + 1 + 1) / 3, ""),
    "the slowest pair": (FOUR, cards(0, 0, 0, 0), PAIRS, (64 / 900 + 1 + 1) / 3, ""),
    "the oldest card": (TWO, MIXED, PCIE, (16 / 900 + 1 + 3 / 5) / 3, ""),
    "no card": (ask(), cards(0, 1), PCIE, 0.5, ""),
    "links not known": (TWO, cards(0, 0), None, (0.5 + 1 + 1) / 3, "not known: links"),
    "zones not known": (TWO, cards(0, None), SWITCH, (600 / 900 + 0.5 + 1) / 3, "not known: numa"),
    "PCIe not known": (ONE, cards(0, pcie_gen=None), SWITCH, 0.75, "not known: pcieGen"),
    "nothing known": (TWO, cards(None, None, pcie_gen=None), None, 0.5, "not known: links, numa, pcieGen"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "gpus", "wiring", "wanted", "told"), CASES.values(), ids=CASES)
def test_score(asked, gpus, wiring, wanted, told):
    assert score(Topology(), asked, wired(gpus, wiring)) == pytest.approx(wanted)
    assert note(Topology(), asked, wired(gpus, wiring)) == told


def test_only_the_cards_that_would_be_taken_count():
    held = (booking("o", whole(0)),)

    assert score(Topology(), TWO, wired(cards(0, 1, 1), SWITCH), bookings=held) == pytest.approx((600 / 900 + 2) / 3)


def test_links_as_listed():
    gpus = cards(0, 0)
    on = worker(cards=gpus, links=wire_listed([LinkSpec(0, 1, "nvlink", 1800.0)], gpus))

    assert score(Topology(), TWO, on) == 1.0


def test_contract():
    workers = [wired(gpus, wiring) for _, gpus, wiring, *_ in CASES.values() if len(gpus) > 1]
    first_two = [[place < 2 for place in range(4)]] * len(workers)
    keeps_its_promises(Topology(), workers, [ask(), TWO], made={"chosen": first_two})

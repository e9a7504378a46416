"""The slowest link between the cards that are given."""

import numpy as np
import pytest

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.cards.linked.linked_sets import slowest_gb_per_s
from unit.placement.builders import gpu, worker

CARDS = [gpu(number, pcie_gen=4) for number in range(4)]
UNSAID = [gpu(number) for number in range(4)]
LISTED = wire_listed([LinkSpec(0, 1, "nvlink", 200), LinkSpec(1, 2, "nvlink", 50)], CARDS)

SPEEDS = {
    "a switch": (wire(Wiring.NVSWITCH, CARDS), [0, 1, 2, 3], 600.0),
    "inside a pair": (wire(Wiring.NVLINK_PAIRS, CARDS), [2, 3], 600.0),
    "across pairs: PCIe": (wire(Wiring.NVLINK_PAIRS, CARDS), [1, 2], 32.0),
    "the listed number": (LISTED, [0, 1], 200.0),
    "the slowest of three": (LISTED, [0, 1, 2], 32.0),
    "one card": (LISTED, [0], None),
    "no card": (LISTED, [], None),
    "a generation that nobody told": (wire(Wiring.PCIE, UNSAID), [0, 1], None),
    "links that nobody told": (None, [0, 1], None),
}


@pytest.mark.parametrize(("links", "cards", "speed"), SPEEDS.values(), ids=SPEEDS)
def test_slowest(links, cards, speed):
    snapshot = Snapshot.load([worker(cards=CARDS, links=links)])
    chosen = np.isin(np.arange(4), cards)[None]
    (found,) = slowest_gb_per_s(chosen, snapshot.table.columns["links_id"], snapshot.pools).tolist()

    assert found == pytest.approx(speed) if speed is not None else np.isnan(found)


def test_each_row_by_its_own_links():
    links = [wire(Wiring.NVSWITCH, CARDS), None, LISTED]
    snapshot = Snapshot.load([worker(f"w{number}", cards=CARDS, links=each) for number, each in enumerate(links)])
    rows = [snapshot.row(f"w{number}") for number in range(3)]
    chosen = np.tile([True, True, False, False], (3, 1))
    found = slowest_gb_per_s(chosen, snapshot.table.columns["links_id"][rows], snapshot.pools)

    assert found.tolist() == pytest.approx([600.0, np.nan, 200.0], nan_ok=True)

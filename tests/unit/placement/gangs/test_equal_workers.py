"""Workers that only differ in where they stand."""

import pytest

from bayplan.cluster.topology import TopologyPath
from bayplan.placement.gangs.equal_workers import Equals
from fleets import booking, whole
from unit.placement.builders import ask, worker
from unit.placement.gangs.racks import CARD, gang_of, rack, trial_of


def equal(asked, *workers, bookings=()):
    """The names of workers, those together that are equal."""
    one = trial_of(gang_of(CARD), *workers, bookings=bookings)
    groups = {}
    for row, key in enumerate(Equals(one, [asked]).keys(range(len(workers)))):
        groups.setdefault(key, set()).add(one.snapshot.workers[row].name)
    return sorted(map(sorted, groups.values()))


TWINS = [*rack("x", 2), *rack("y", 2)]
ABROAD = [worker(f"{region}-0", cards=2, topology=TopologyPath(region=region)) for region in "xy"]
NEIGHBOURS = [worker(f"{zone}-0", cards=2, topology=TopologyPath(region="r", zone=zone)) for zone in "xy"]
TOGETHER, APART = [["x-0", "y-0"]], [["x-0"], ["y-0"]]
CASES = {
    "in two racks": (ask(), TWINS, (), TOGETHER),
    "of two sizes": (ask(), [*rack("x", 2), *rack("y", 3)], (), APART),
    "with labels": (ask(), [*rack("x", 2, labels={"a": "b"}), *rack("y", 2)], (), APART),
    "one holds something": (ask(), TWINS, [booking("other", whole(0), on="y-0")], APART),
    "both hold the same": (ask(), TWINS, [booking("o", whole(1), on=on) for on in ("x-0", "y-0")], TOGETHER),
    "one was chosen by hand": (ask(gpu_ids=["x-0:cuda:0"]), TWINS, (), APART),
    "each has its price": (ask(max_usd_per_hour=9.0), TWINS, (), APART),
    "some are avoided": (ask(anti_affinity=("other",)), TWINS, (), APART),
    "in two regions": (ask(), ABROAD, (), TOGETHER),
    "in two regions, of which one is named": (ask(regions=("x",)), ABROAD, (), APART),
    "in the region that is named": (ask(regions=("r",)), NEIGHBOURS, (), TOGETHER),
}


@pytest.mark.parametrize(("asked", "workers", "bookings", "groups"), CASES.values(), ids=CASES)
def test_equals(asked, workers, bookings, groups):
    assert equal(asked, *workers, worker("z", cards=7), bookings=bookings) == [*groups, ["z"]]

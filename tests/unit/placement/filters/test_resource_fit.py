"""Resources by name must be free in the amount that is asked for."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.placement.filters.resource_fit import ResourceFit
from fleets import booking
from unit.placement.builders import ask, judge, keeps_its_promises, worker

IB, TPU = "rdma/ib", "google.com/tpu"
HOST = worker(resources=FrozenMap({IB: 4, TPU: 8}))
BARE = worker("b")


def amounts(**known):
    return FrozenMap({{"ib": IB, "tpu": TPU}.get(name, name): amount for name, amount in known.items()})


CASES = {
    "nothing is asked": ({}, BARE, None),
    "none is asked": ({"ib": 0}, BARE, None),
    "all of it": ({"ib": 4, "tpu": 8}, HOST, None),
    "too much": ({"ib": 5}, HOST, (5, 4, IB)),
    "too much of one": ({"ib": 4, "tpu": 9}, HOST, (9, 8, TPU)),
    "too much of both: the first by name": ({"ib": 5, "tpu": 9}, HOST, (9, 8, TPU)),
    "offered elsewhere": ({"ib": 1}, BARE, (1, 0, IB)),
    "offered nowhere": ({"fpga": 1}, HOST, (1, 0, "fpga")),
}


@pytest.mark.parametrize(("wanted", "on", "told"), CASES.values(), ids=CASES)
def test_amounts(wanted, on, told):
    verdict = judge(ResourceFit(), ask(resources=amounts(**wanted)), on)

    assert verdict.code == (told and "resource-short")
    assert told is None or (verdict.needed, verdict.free, verdict.unit) == told
    assert not verdict.curable


def test_what_is_booked_is_not_free_and_may_become_so():
    held = booking("other", on="a", resources=amounts(ib=3))
    verdict = judge(ResourceFit(), ask(resources=amounts(ib=2)), HOST, bookings=(held,))

    assert (verdict.code, verdict.free, verdict.curable) == ("resource-short", 1, True)
    assert verdict.message == "needs 2 rdma/ib, 1 of 4 are free"
    assert not judge(ResourceFit(), ask(resources=amounts(ib=5)), HOST, bookings=(held,)).curable


def test_a_name_may_hold_anything():
    verdict = judge(ResourceFit(), ask(resources=FrozenMap({"{x}/y": 1})), HOST)

    assert verdict.message == "needs 1 {x}/y, which the worker does not offer"


def test_its_promises():
    keeps_its_promises(ResourceFit(), [HOST, BARE], [ask(), ask(resources=amounts(ib=2, tpu=1))])

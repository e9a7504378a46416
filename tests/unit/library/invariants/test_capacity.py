"""I1, broken in each way in which objects can break it."""

import pytest

from unit.library.invariants.cluster_objects import device, node, pod, verdict

MIG = {"nvidia.com/mig-1g.5gb": "1"}
SHARES = {"capacity": {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "2"}}
ILL = {"allocatable": {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "1"}}


def asking(name, **limits):
    return pod(name, resources={"limits": limits})


HOLDS = {
    "an empty node": [node()],
    "every card": [node(), pod("a", cards=2)],
    "every card by name": [node(), pod("a", devices=[device(0)]), pod("b", devices=[device(1)])],
    "one by name, one counted": [node(), pod("a", devices=[device(1)]), pod("b", cards=1)],
    "shares of one card": [node(), *(pod(each, devices=[device(0, memory_mib=20_480)]) for each in "ab")],
    "a Pod that ended": [node(), pod("a", cards=2), pod("b", cards=2, phase="Succeeded")],
    "a card that fell ill while it was held": [node(**ILL), pod("a", cards=2)],
    "the node is gone": [node("other"), pod("a", cards=2)],
}

BEYOND = {
    "more cards than there are": (
        [node(), pod("a", cards=2), pod("b", cards=1)],
        "worker n: 3 nvidia.com/gpu are assigned, it has 2",
    ),
    "counted beside named": (
        [node(), pod("a", devices=[device(0)]), pod("b", cards=2)],
        "worker n: 2 nvidia.com/gpu are assigned beside 1 that Pods hold by name, it has 2",
    ),
    "one card twice": (
        [node(), pod("a", devices=[device(0)]), pod("b", devices=[device(0)])],
        "worker n, card cuda:0: is held whole, and by 2 parts of bookings in all",
    ),
    "more memory of a card than it has": (
        [node(), *(pod(each, devices=[device(0, memory_mib=20_481)]) for each in "ab")],
        "worker n, card cuda:0: 40962 MiB are assigned, it has 40960",
    ),
    "headroom counts": (
        [node(), *(pod(each, devices=[device(0, memory_mib=20_000, headroom_mib=500)]) for each in "ab")],
        "worker n, card cuda:0: 41000 MiB are assigned, it has 40960",
    ),
    "a device that the node does not offer": (
        [node(), asking("a", **MIG)],
        "worker n: 1 nvidia.com/mig-1g.5gb are assigned, it has 0",
    ),
    "more cores than there are": (
        [node(), asking("a", cpu="9"), asking("b", cpu="9")],
        "worker n: 18000 thousandths of a core are assigned, it has 16000",
    ),
    "more memory than there is": (
        [node(), asking("a", memory="65Gi")],
        "worker n: 66560 MiB of RAM are assigned, it has 65536",
    ),
}  # fmt: skip


@pytest.mark.parametrize("objects", HOLDS.values(), ids=HOLDS)
def test_within_capacity(objects):
    assert verdict("I1", *objects).violations == ()


@pytest.mark.parametrize(("objects", "violation"), BEYOND.values(), ids=BEYOND)
def test_beyond_capacity(objects, violation):
    found = verdict("I1", *objects)

    assert found.ok is False
    assert violation in found.violations

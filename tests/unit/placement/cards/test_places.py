"""Places on shared cards: which of them a request gets, and that two ways of counting agree."""

import numpy as np
import pytest

import bayplan
from bayplan.cluster.columns import STATE_NAMES
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.gangs.booked_rows import BookedRows
from unit.placement.builders import ask, gpu, planned_cluster, worker

SHARED = worker("a", cards=[gpu(index, places=4, memory_mib=23_034) for index in range(2)])


def placed(count):
    """`{index: (places, MiB)}` of one Pod on a fresh worker."""
    ready = planned_cluster(SHARED)
    asked = ask(taking=Taking.PLACES, shapes=(CardShape(count),))
    (share,) = ready.strategies.devices("pack").placed(asked, ready.snapshot.table, 0, Subject("new")).shares
    return {card.index: (card.places, card.memory_mib) for card in share.booking.cards}


def test_places_are_dealt_over_the_cards_first():
    assert placed(1) == {0: (1, 5758)}
    assert placed(2) == {0: (1, 5758), 1: (1, 5758)}
    assert placed(3) == {0: (2, 11_517), 1: (1, 5758)}
    assert placed(8) == {0: (4, 23_034), 1: (4, 23_034)}


@pytest.mark.parametrize("count", [1, 3])
def test_many_rows_at_once_and_booking_by_booking(count):
    asked = ask(taking=Taking.PLACES, shapes=(CardShape(count),), cpu_milli=5)
    ready = planned_cluster(SHARED, worker("b", cards=[gpu(0, places=3, memory_mib=None), gpu(1, places=9)]))
    snapshot, devices, subject = ready.snapshot, ready.strategies.devices("pack"), Subject("new")
    fork, index = snapshot.table.fork(), np.arange(2)
    supposed = BookedRows(snapshot.table, index)
    for _ in range(2):
        supposed.book(asked, "tight", subject)
        for row in index.tolist():
            (share,) = devices.placed(asked, fork, row, subject).shares
            fork.write(row, snapshot.after(row, booked=(share.booking,), table=fork, foreseen=True))
        there = fork.gather(STATE_NAMES, index)
        for name in STATE_NAMES:
            assert supposed.columns[name].tolist() == there[name].tolist(), name


def _resource(key):
    return key.replace("_", "-", 1).replace("_", ".")


def pod(name, **limits):
    resources = {"limits": {f"nvidia.com/{_resource(key)}": amount for key, amount in limits.items()}}
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [{"name": "c", "resources": resources}]}}


def verdicts(cluster, *workloads):
    answer = bayplan.plan(list(workloads), cluster)
    return [each["verdict"] for each in answer.get("items", [answer])]


CARD = {"index": 0, "model": "Tesla-T4", "memory": 15360}
SLICED = {"workers": [{"name": "w", "sharing": "time-slicing", "gpus": [CARD | {"places": 2}]}]}
HAMI = {"workers": [{"name": "w", "sharing": "hami", "gpus": [CARD | {"places": 3}]}]}
SIX = {"metadata": {"name": "six"}, "spec": {"gpus": {"memory": "6Gi"}}}
WHOLE = {"metadata": {"name": "whole"}, "spec": {"gpus": {"count": 1}}}

TOLD = {
    "places run out":            (SLICED, [pod("a", gpu=1), pod("b", gpu=1), pod("c", gpu=1)], "fits fits waiting"),
    "a share takes a place":     (SLICED, [SIX, pod("a", gpu=1), pod("b", gpu=1)], "fits fits waiting"),
    "a place is no whole card":  (SLICED, [pod("a", gpu=1), WHOLE], "fits waiting"),
    "no place of a whole card":  (SLICED, [WHOLE, pod("a", gpu=1)], "fits waiting"),
    "never so many":             (SLICED, [pod("a", gpu=3)], "infeasible"),
    "HAMi gives whole cards":    (HAMI, [pod("a", gpu=1), pod("b", gpu=1)], "fits waiting"),
    "HAMi's shares":             (HAMI, [pod("a", gpu=1, gpumem=8000), pod("b", gpumem=8000)], "fits waiting"),
    "HAMi's places":             (HAMI, [pod(name, gpumem=100) for name in "abcd"], "fits fits fits waiting"),
    "all cores close a card":    (HAMI, [pod("a", gpumem=9, gpucores=100), pod("b", gpumem=9)], "fits waiting"),
    "all cores need it empty":   (HAMI, [pod("a", gpumem=9), pod("b", gpumem=9, gpucores=100)], "fits waiting"),
    "nobody counts gpumem":      (SLICED, [pod("a", gpumem=9)], "infeasible"),
}  # fmt: skip


@pytest.mark.parametrize(("cluster", "workloads", "expected"), TOLD.values(), ids=TOLD)
def test_what_a_request_gets(cluster, workloads, expected):
    assert verdicts(cluster, *workloads) == expected.split()


MIXED = {"name": "m", "migStrategy": "mixed", "migSlices": {"1g.5gb": 1}, "gpus": [CARD]}
SINGLE = {"name": "s", "migStrategy": "single", "migSlices": {"1g.5gb": 2}}
SLICE = {"metadata": {"name": "a"}, "spec": {"gpus": {"mig": "1g.5gb"}}}
BY_NAME = {
    "a profile on strategy single":    ([SINGLE], pod("a", mig_1g_5gb=1), "infeasible"),
    "the plain name on single":        ([SINGLE], pod("a", gpu=2), "fits"),
    "a profile on strategy mixed":     ([MIXED], pod("a", mig_1g_5gb=1), "fits"),
    "the plain name on mixed":         ([MIXED], pod("a", gpu=1), "fits"),
    "the card alone is offered":       ([MIXED], pod("a", gpu=2), "infeasible"),
    "a profile where both are there":  ([SINGLE, MIXED], pod("a", mig_1g_5gb=1), "fits"),
    "as many only under another name": ([SINGLE, MIXED], pod("a", mig_1g_5gb=2), "infeasible"),
    "natively":                        ([SINGLE], SLICE, "fits"),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "asking", "expected"), BY_NAME.values(), ids=BY_NAME)
def test_slices_by_their_name(workers, asking, expected):
    assert verdicts({"workers": workers}, asking) == [expected]


def test_a_worker_that_offers_its_slices_under_another_name_says_so():
    (rejection,) = bayplan.plan(pod("a", mig_1g_5gb=1), {"workers": [SINGLE]})["rejections"]

    assert (rejection["code"], rejection["curable"]) == ("mig-unavailable", False)
    assert rejection["message"] == "offers its slices as nvidia.com/gpu, not as nvidia.com/mig-1g.5gb"


def test_places_that_are_taken_at_once_are_rounded_together():
    """Of 10 MiB with 4 kept back, one place is 2 MiB, and three at once are 7."""
    kept = [
        {
            "name": "w",
            "sharing": "time-slicing",
            "reserved": {"gpuMemory": 4},
            "gpus": [CARD | {"places": 4, "memory": 10}],
        }
    ]

    assert verdicts({"workers": kept}, pod("a", gpu=3)) == ["infeasible"]
    assert verdicts({"workers": kept}, pod("a", gpu=2)) == ["fits"]
    assert verdicts({"workers": kept}, *(pod(name, gpu=1) for name in "abcd")) == ["fits", "fits", "fits", "waiting"]


def test_a_pod_goes_to_whatever_a_worker_offers_under_its_name():
    plain = {"name": "p", "gpus": [CARD]}
    sliced = SLICED["workers"][0]

    assert verdicts({"workers": [plain, sliced]}, pod("a", gpu=2)) == ["fits"]
    assert verdicts({"workers": [plain, SINGLE]}, pod("a", gpu=2)) == ["fits"]
    assert verdicts({"workers": [plain, SINGLE, sliced]}, *(pod(name, gpu=1) for name in "abcdef")) == [
        *["fits"] * 5,
        "waiting",
    ]


def test_places_that_no_booking_gives_back_are_not_curable():
    busy = [{"name": "w", "sharing": "mps", "gpus": [CARD | {"places": 2, "observedUsed": 9000}]}]
    two = pod("a", gpu=1)
    two["spec"]["containers"] *= 2

    assert verdicts({"workers": busy}, two) == ["infeasible"]
    (rejection,) = bayplan.plan(two, {"workers": busy})["rejections"]
    assert (rejection["code"], rejection["curable"]) == ("gpu-count-short", False)


def test_fewer_places_help_where_a_container_gets_one():
    one_each = {"workers": [{"name": "w", "sharing": "mps", "gpus": [CARD | {"places": 2}]}]}

    changes = bayplan.why(pod("a", gpu=2), one_each)["changes"]

    assert ("gpu-count", 1) in [(change["change"], change["to"]) for change in changes]

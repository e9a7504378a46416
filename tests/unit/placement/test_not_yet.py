"""Hard demands that nothing keeps yet are refused with their place; mere wishes are not."""

from dataclasses import replace

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import CostLimit, DryRun, Locality, Preemption
from bayplan.framework.errors import InputError
from bayplan.placement.not_yet import NO_VICTIMS, refuse_unplanned, unheard_wishes, without_victims
from unit.placement.builders import planner, request, sized, worker

SOCKET, NVLINK, ANY, NODE = Locality.SAME_SOCKET, Locality.NVLINK, Locality.ANY, Locality.SAME_NODE


def cards(**gpus):
    return request(sized(gpus=gpus), replicas=2)


REFUSED = {
    "MIG": (cards(mig="1g.5gb"), "gpus.mig", "1g.5gb"),
    "MIG of one card": (cards(count=1, mig="1g.5gb"), "gpus.mig", "1g.5gb"),
    "NVLink": (cards(count=2, locality=NVLINK), "gpus.locality", "nvlink"),
    "a socket": (cards(count=2, locality=SOCKET), "gpus.locality", "same-socket"),
    "NVLink between as many as it takes": (cards(locality=NVLINK), "gpus.locality", "nvlink"),
    "bandwidth": (cards(count=2, min_bandwidth_gb_per_s=300.0), "gpus.minBandwidth", "300 GB/s"),
    "a gang in a rack": (request(sized(), gang=Gang(within=Level.RACK)), "gang.within", "rack"),
    "over zones": (request(sized(), replicas=2, spread_over=Level.ZONE), "spreadOver", "zone"),
    "a role": (
        request(("x", 1, sized()), ("y", 1, sized(gpus={"mig": "1g.5gb"}))),
        "roles[1].gpus.mig",
        "1g.5gb",
    ),
}


@pytest.mark.parametrize(("asked", "place", "problem"), REFUSED.values(), ids=REFUSED)
def test_demands_that_nothing_keeps(asked, place, problem):
    with pytest.raises(InputError) as caught:
        refuse_unplanned(asked.workload)

    assert caught.value.place == f"workload mine: {place}"
    assert problem in caught.value.message
    assert "not planned yet" in caught.value.message
    assert caught.value.next == f"leave {place} out for now"


KEPT = {
    "nothing": request(sized()),
    "one card is near to itself": cards(count=1, locality=NVLINK, min_bandwidth_gb_per_s=900.0),
    "one worker": cards(count=2, locality=NODE),
    "anywhere": cards(count=2, locality=ANY),
    "no bandwidth": cards(count=2, min_bandwidth_gb_per_s=0.0),
    "one replica is spread": request(sized(), spread_over=Level.ZONE),
    "a gang": request(sized(), gang=Gang(minimum=1)),
    "preemption": request(sized(), preemption=Preemption.LOWER_PRIORITY),
}


@pytest.mark.parametrize("asked", KEPT.values(), ids=KEPT)
def test_what_can_be_kept_is_not_refused(asked):
    refuse_unplanned(asked.workload)


def test_a_plan_is_refused():
    with pytest.raises(InputError, match=r"workload mine: gpus\.mig: .* is not planned yet"):
        planner(worker(cards=1)).plan(cards(mig="1g.5gb"))


LOWER = Preemption.LOWER_PRIORITY
ROLES = request(("x", 1, sized()), ("y", 1, sized())).workload

WISHES = {
    "never": (request(sized()).workload, ()),
    "lower priority": (request(sized(), preemption=LOWER).workload, (NO_VICTIMS,)),
    "of a role": (replace(ROLES, roles=(ROLES.roles[0], replace(ROLES.roles[1], preemption=LOWER))), (NO_VICTIMS,)),
}


@pytest.mark.parametrize(("workload", "warnings"), WISHES.values(), ids=WISHES)
def test_victims_are_not_proposed(workload, warnings):
    assert without_victims(workload) == warnings


@pytest.mark.parametrize(("count", "warned"), [(1, False), (2, True)])
def test_only_who_does_not_fit_is_told(count, warned):
    plan = planner(worker(cards=1)).plan(request(sized(gpus={"count": count}), preemption=LOWER))

    assert (NO_VICTIMS in plan.warnings) is warned


WISHES = {
    "none": (sized(gpus={"count": 1}), ()),
    "near": (sized(gpus={"count": 1}, near=("store",)), ("near is not scored yet, it changes nothing",)),
    "spot": (sized(cost=CostLimit(spot=True)), ("cost.spot: true is not scored yet, it changes nothing",)),
    "no spot": (sized(cost=CostLimit(spot=False)), ()),
    "dry run": (sized(dry_run=(DryRun("A100"),)), ("dryRun is not scored yet, it changes nothing",)),
}


@pytest.mark.parametrize(("what", "warnings"), WISHES.values(), ids=WISHES)
def test_wishes_that_nobody_hears_are_told(what, warnings):
    assert unheard_wishes(request(what).workload) == warnings
    assert planner(worker("a", cards=1)).plan(request(what)).warnings == warnings

"""Where the members of a gang go together, and what is known where they do not."""

import pytest

import bayplan
from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.topology import Level
from bayplan.placement.gangs.gang_planner import largest_first
from bayplan.placement.gangs.worker_capacity import Steps
from bayplan.placement.planning.plan import Verdict
from fleets import booking, whole
from unit.placement.builders import LLAMA, gpu, need, planner, role, sized, worker
from unit.placement.gangs.racks import CARD, PAIR, by_rack, by_worker, gang_of, gang_planner, rack, share, trial_of

pytestmark = pytest.mark.usefixtures("no_headroom")

HELD = [booking("other", whole(0), on="a"), booking("other", whole(1), on="a", replica=1)]


def planned(asked, *workers, bookings=()):
    return planner(*workers, bookings=bookings).plan(asked)


VERDICTS = {
    "all of them": (4, None, (), Verdict.FITS, 4),
    "not all of all": (5, None, (), Verdict.INFEASIBLE, 0),
    "enough": (5, 3, (), Verdict.PARTLY, 4),
    "others are in the way": (4, None, HELD, Verdict.WAITING, 0),
    "enough beside others": (4, 2, HELD, Verdict.PARTLY, 2),
}


@pytest.mark.parametrize(("replicas", "minimum", "bookings", "verdict", "placed"), VERDICTS.values(), ids=VERDICTS)
def test_verdicts(replicas, minimum, bookings, verdict, placed):
    workers = [worker("a", cards=2), worker("b", cards=2)]

    plan = planned(gang_of(CARD, replicas=replicas, minimum=minimum), *workers, bookings=bookings)

    assert (plan.verdict, len(plan.replicas)) == (verdict, placed)


DOMAINS = {
    "the rack with the least room that holds all": (2, None, {"small": 2}),
    "a larger one where it must be": (3, None, {"large": 3}),
    "the one that holds most": (9, 1, {"large": 5}),
    "none": (9, None, {}),
}


@pytest.mark.parametrize("extra", [{}, {"cpu_milli": 0, "max_workers_to_score": 9}], ids=["counted", "tried"])
@pytest.mark.parametrize(("replicas", "minimum", "where"), DOMAINS.values(), ids=DOMAINS)
def test_one_rack(replicas, minimum, where, extra):
    """A sample of workers cannot be counted: racks are then tried one after the other."""
    workers = [*rack("small", 2), *rack("large", 4, 1), worker("nowhere", cards=8)]
    asked = gang_of(role(gpus={"count": 1}, **extra), replicas=replicas, minimum=minimum, within=True)

    plan = planned(asked, *workers)

    assert by_rack(plan.replicas) == where


@pytest.mark.parametrize(("on", "placed"), [("small-0", {"small-0": 1}), ("large-0", {"large-0": 1}), ("nowhere", {})])
def test_members_that_are_there_decide_the_rack(on, placed):
    workers = [*rack("small", 2), *rack("large", 4), worker("nowhere", cards=8)]
    held = [booking("mine", whole(0), on=on)]

    plan = planned(gang_of(CARD, replicas=2, minimum=1, within=True), *workers, bookings=held)

    assert by_worker(plan.replicas) == placed


def test_how_many_members_each_rack_holds():
    found = gang_planner(gang_of(CARD, replicas=2, within=True), *rack("x", 1), *rack("y", 2, 2)).domains(Level.RACK)

    assert sorted(found.rooms.tolist()) == [1, 2]
    assert found.rooms[found.allowed].tolist() == [2]


def test_nobody_is_tried_where_the_cluster_lacks_what_the_gang_wants_to_see_free():
    asked = sized(CARD, replicas=2, gang=Gang(min_resources=MinResources(cards=5)))

    plan = planned(asked, worker("a", cards=4))

    assert (plan.verdict, plan.blocked) == (Verdict.INFEASIBLE, ("mine/0", "mine/1"))
    assert [each.code for each in plan.refused.summaries()] == ["gang-short"]


def test_nobody_is_tried_of_a_group_that_nobody_declared():
    plan = planned(sized(CARD, replicas=2, gang=Gang(3, declared=False)), worker("a", cards=4))

    assert plan.verdict is Verdict.INFEASIBLE
    assert [each.message for each in plan.refused.summaries()] == ["the gang 'mine' has no PodGroup; add one"]


ORDERS = {
    "the large ones first": [(PAIR, 1), (CARD, 2)],
    "the large ones last": [(CARD, 2), (PAIR, 1)],
}


@pytest.mark.parametrize("roles", ORDERS.values(), ids=ORDERS)
def test_the_order_of_roles_does_not_matter(roles):
    """Small ones would take a card of each worker, or all of the only one with two."""
    plan = planned(gang_of(*roles), worker("a", cards=2), worker("b", cards=1), worker("c", cards=1))

    assert plan.verdict is Verdict.FITS


def test_largest_first():
    one = trial_of(gang_of((CARD, 1), (share(100), 1), (PAIR, 1), (share(200), 1)), worker("a", cards=2))

    assert largest_first(one) == [2, 3, 1, 0]


def test_where_nobody_can_tell_it_may_wait():
    """Two of three cards each on forty workers of five: too many workers to try all arrangements."""
    many = [worker(f"w{n}", cards=5) for n in range(40)]
    plan = planned(gang_of((role(gpus={"count": 3}), 40), (PAIR, 40), (CARD, 1)), *many)

    assert plan.verdict is Verdict.WAITING
    assert not plan.proven


def test_where_the_steps_do_not_suffice_roles_that_fit_apart_may_wait():
    """The hungriest first get further than the order of the document, but one goes without all the same."""
    roles = [(role(gpus={"count": 1}, strategy="spread"), 3), (role(gpus={"count": 2}, strategy="spread"), 2)]
    gang = gang_planner(gang_of(*roles), *[worker(name, cards=2) for name in "abc"], steps=Steps(1))
    found = gang.arrange()

    assert (len(found.placed), found.is_whole, found.exact) == (4, False, False)
    assert gang.fits_when_empty() is None


def test_a_gang_whose_model_may_be_cut_finds_the_cut_that_holds_all():
    """One card each would leave the second of two members without."""
    cards = [gpu(0, memory_mib=100), gpu(1, memory_mib=60), gpu(2, memory_mib=60)]
    plan = planned(gang_of(role(need(100, **LLAMA), "vllm"), replicas=2), worker("a", cards=cards))

    assert plan.verdict is Verdict.FITS
    assert sorted(len(each.placed.bookings[0].cards) for each in plan.replicas) == [1, 2]


def _cut(slices):
    cut = [{"profile": "1g.5gb", "start": start} for start in range(slices)]
    return {"index": 0, "model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"enabled": True, "slices": cut}}


def _cards(count, model="H100-SXM5-80GB", first=0):
    return [{"index": first + number, "model": model, "memory": "80Gi"} for number in range(count)]


TWO_MODELS = [
    {"name": "a", "rack": "k1", "gpus": _cards(9)},
    {"name": "b", "rack": "k2", "gpus": _cards(5)},
    {"name": "c", "rack": "k2", "gpus": _cards(5, "A100-SXM4-80GB")},
]
LEAST_ROOM = {
    "slices": (
        [
            {"name": "a", "rack": "k1", "gpus": [_cut(6)]},
            {"name": "b", "rack": "k2", "gpus": [_cut(3), *_cards(2, first=1)]},
        ],
        {"gpus": {"mig": "1g.5gb"}}, {"b"},
    ),
    "several models": (TWO_MODELS, {"gpus": {"count": 3, "models": ["H100", "A100-SXM4-80GB"]}}, {"b", "c"}),
    "over several workers": (TWO_MODELS, {"gpus": {"count": 3}, "distributed": True}, {"b", "c"}),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "spec", "taken"), LEAST_ROOM.values(), ids=LEAST_ROOM)
def test_the_domain_with_the_least_room_though_members_are_not_counted_at_once(workers, spec, taken):
    spec = {"replicas": 2, "gang": {"within": "rack"}, **spec}
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, {"workers": workers})

    assert plan["verdict"] == "fits"
    assert {part["worker"] for each in plan["replicas"] for part in each["workers"]} == taken

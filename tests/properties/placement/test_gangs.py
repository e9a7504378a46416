"""Gangs: all or none, no trace of what was only asked, and the verdicts of an exact solver."""

from copy import deepcopy
from itertools import product
from random import Random

from hypothesis import event, given, strategies as st

import bayplan
from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES
from bayplan.cluster.ledger import Ledger
from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.answers.why import explain
from properties.placement.documents import FEWER, workload
from properties.placement.gangs import members, most_members, racked, verdict_of


def said_by(plan):
    event(plan["verdict"])
    return plan["verdict"], plan["placed"]


def expected(roles, cluster, desired, minimum, **how):
    now = most_members(roles, cluster, **how)
    emptied = most_members(roles, cluster, emptied=True, **how)
    return verdict_of(now, desired, minimum, emptied)


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 6), st.integers(1, 6), st.sampled_from(("pack", "spread")))
def test_equal_members_are_counted_as_an_exact_solver_does(cluster, shape, desired, minimum, strategy):
    minimum = min(desired, minimum)
    spec = {**shape, "replicas": desired, "gang": {"minimum": minimum}, "strategy": strategy}

    plan = bayplan.plan(workload(spec), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum)


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 6), st.integers(1, 6), st.sampled_from(("pack", "spread")))
def test_equal_members_inside_one_rack(cluster, shape, desired, minimum, strategy):
    minimum = min(desired, minimum)
    gang = {"minimum": minimum, "within": "rack"}

    plan = bayplan.plan(workload({**shape, "replicas": desired, "gang": gang, "strategy": strategy}), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum, within=True)
    racks = {each["rack"] for each in cluster["workers"] if each["name"] in workers_of(plan)}
    assert len(racks) <= 1


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_equal_members_over_racks(cluster, shape, desired, minimum, gang):
    minimum = min(desired, minimum) if gang else 1
    spec = {**shape, "replicas": desired, "spreadOver": "rack", **({"gang": {"minimum": minimum}} if gang else {})}

    plan = bayplan.plan(workload(spec), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum, spread=True)


@FEWER
@given(
    racked(mixed=False), st.lists(st.tuples(members(), st.integers(1, 3)), min_size=2, max_size=3), st.integers(1, 8)
)
def test_members_of_different_shapes_in_whatever_order(cluster, roles, minimum):
    desired = sum(number for _, number in roles)
    minimum = min(desired, minimum)
    wanted = expected(roles, cluster, desired, minimum)

    for order in (roles, roles[::-1]):
        spec = {"roles": [role(*each, place) for place, each in enumerate(order)], "gang": {"minimum": minimum}}
        assert said_by(bayplan.plan(workload(spec), cluster)) == wanted


def role(shape, number, place):
    return {"name": f"role-{place}", "replicas": number, **shape}


def workers_of(plan):
    return {part["worker"] for replica in plan["replicas"] for part in replica["workers"]}


@st.composite
def any_gang(draw):
    """A gang of any kind: linked cards, MIG instances, racks, roles."""
    spec = draw(members(counts=(1, 2, 2, 3)))
    near = draw(st.sampled_from(({}, {}, {"locality": "nvlink"}, {"minBandwidth": 300}, {"mig": "2g.10gb"})))
    if "mig" in near:
        spec["gpus"] = {**near, "count": spec["gpus"]["count"]}
    else:
        spec["gpus"] |= near
    number, gang = draw(st.integers(1, 5)), draw(st.sampled_from(({}, {"within": "rack"})))
    gang = {**gang, "minimum": draw(st.integers(1, number))}
    if draw(st.booleans()):
        other = draw(members())
        return {"roles": [role(spec, number, 0), role(other, 2, 1)], "gang": gang}
    spread = draw(st.sampled_from((None, None, "rack")))
    return {**spec, "replicas": number, "gang": gang} | ({"spreadOver": spread} if spread else {})


@st.composite
def wired(draw):
    """A cluster with links, and cards that may be cut."""
    cluster = draw(racked(mixed=False))
    cluster["workers"] = [deepcopy(worker) for worker in cluster["workers"]]
    for worker in cluster["workers"]:
        links = draw(st.sampled_from((None, "nvlink-pairs", "nvswitch", "pcie")))
        if links is not None and worker["gpus"]:
            worker["links"] = links
        for gpu in worker["gpus"]:
            if gpu["runtime"] == "cuda" and draw(st.booleans()):
                gpu.update({"model": "A100-SXM4-40GB", "mig": {"enabled": draw(st.booleans()), "reconfigurable": True}})
    held = {(each["worker"], gpu["index"]) for each in cluster["bookings"] for gpu in each["gpus"]}
    for worker in cluster["workers"]:
        for gpu in worker["gpus"]:
            if (worker["name"], gpu["index"]) in held:
                gpu.pop("mig", None)
    return cluster


def asked_of(spec, cluster):
    planner, _ = planner_of(cluster)
    (sized,) = read_sized_workloads(documents_of([workload(spec)], "workloads"))
    return planner, sized


def seen(planner):
    """All that a planner stands on."""
    columns = planner.state.snapshot.table.columns
    state = [planner.state.table.columns[name].tolist() for name in STATE_NAMES]
    return (
        planner.state.snapshot.table.version,
        set(planner.state.written),
        tuple(planner.state.bookings),
        state,
        [columns[name].tolist() for name in (*STATIC_NAMES, *STATE_NAMES)],
    )


@FEWER
@given(wired(), any_gang())
def test_all_or_none_and_the_ledger_takes_it(cluster, spec):
    planner, sized = asked_of(spec, cluster)
    workload_ = sized.workload

    plan = planner.plan(sized)

    event(plan.verdict)
    placed = len(plan.replicas)
    assert placed == 0 or workload_.minimum <= placed <= workload_.desired
    assert len({replica.index for replica in plan.replicas}) == placed
    assert len({booking.owner for booking in plan.bookings}) == placed
    if placed:
        ledger = Ledger.of(planner.state.cluster)
        ledger.book(plan.bookings, expected=ledger.revision)


@FEWER
@given(wired(), any_gang())
def test_what_was_only_asked_leaves_no_trace(cluster, spec):
    planner, sized = asked_of(spec, cluster)
    before = seen(planner)

    first = planner.plan(sized)
    why = explain(planner, sized)

    assert seen(planner) == before
    assert why.verdict == first.verdict
    assert planner.plan(sized).bookings == first.bookings


@FEWER
@given(wired(), any_gang(), st.integers(0, 99))
def test_another_order_of_workers(cluster, spec, seed):
    workers = list(cluster["workers"])
    Random(seed).shuffle(workers)  # noqa: S311 (test data, no secret)

    plans = [bayplan.plan(workload(spec), {**cluster, "workers": each}) for each in (cluster["workers"], workers)]

    assert said_by(plans[0]) == said_by(plans[1])
    assert plans[0]["replicas"] == plans[1]["replicas"]


STARTS = {"1g.5gb": (1, range(7)), "2g.10gb": (2, (0, 2, 4)), "3g.20gb": (4, (0, 4)), "4g.20gb": (4, (0,))}


def most_instances(masks, profiles):
    """The most of these instances that fit on cards of which so much is taken, by trying all starts."""
    if not profiles:
        return 0
    size, starts = STARTS[profiles[0]]
    best = most_instances(masks, profiles[1:])
    for card, start in product(range(len(masks)), starts):
        mask = ((1 << size) - 1) << start
        if best < len(profiles) and not masks[card] & mask:
            then = (*masks[:card], masks[card] | mask, *masks[card + 1 :])
            best = max(best, 1 + most_instances(then, profiles[1:]))
    return best


@FEWER
@given(
    st.lists(
        st.sampled_from((None, ("1g.5gb", 0), ("1g.5gb", 3), ("2g.10gb", 2), ("3g.20gb", 4))), max_size=2, min_size=1
    ),
    st.lists(st.tuples(st.sampled_from(sorted(STARTS)), st.integers(1, 3)), min_size=2, max_size=3),
    st.booleans(),
)
def test_instances_of_different_profiles(held, roles, apart):
    gpus = [
        {"model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"enabled": True, "reconfigurable": True}} for _ in held
    ]
    workers = (
        [{"name": f"w{n}", "gpus": [gpu]} for n, gpu in enumerate(gpus)] if apart else [{"name": "w0", "gpus": gpus}]
    )
    bookings = [
        {"workload": "other", "replica": n, "worker": f"w{n if apart else 0}", "gpus": [
            {"index": 0 if apart else n, "mig": {"profile": each[0], "start": each[1]}}]}
        for n, each in enumerate(held) if each
    ]  # fmt: skip
    masks = tuple(((1 << STARTS[each[0]][0]) - 1) << each[1] if each else 0 for each in held)
    profiles = [profile for profile, number in roles for _ in range(number)]
    named = [
        {"name": f"r{n}", "replicas": number, "gpus": {"count": 1, "mig": each}}
        for n, (each, number) in enumerate(roles)
    ]
    found = [most_instances(each, profiles) for each in (masks, (0,) * len(masks))]

    plan = bayplan.plan(workload({"roles": named, "gang": {}}), {"workers": workers, "bookings": bookings})

    assert said_by(plan) == verdict_of(found[0], len(profiles), len(profiles), found[1])

"""Victims: strictly lower, gangs whole, budgets kept, the least harm of all sets, and nobody in vain."""

from copy import deepcopy

from hypothesis import assume, event, given, strategies as st

import bayplan
from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.gangs.attempt import fits as fits_whole
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.counted_members import CountedMembers
from bayplan.placement.preemption.units import Budgets, bookings_of, units_of as found_units
from properties.placement.documents import FEWER
from properties.placement.preempting import (
    cost_of,
    crowds,
    demanding,
    fits,
    keeps_budgets,
    numbers_of,
    sufficient,
    units_of,
)


def new(spec):
    return {"metadata": {"name": "new"}, "spec": spec}


@FEWER
@given(crowds(), demanding())
def test_the_least_harm_of_all_sets(cluster, spec):
    assume(not fits(cluster, spec, set()))
    sets = list(sufficient(cluster, spec))

    plan = bayplan.plan(new(spec), cluster)

    victims = numbers_of(cluster, plan["victims"])
    event(f"{len(victims)} victims, {len(plan['replicas'])} replicas")
    assert bool(victims) == bool(sets)
    if sets:
        assert plan["verdict"] == "fits"
        assert cost_of(cluster, victims) == min(cost_of(cluster, each) for each in sets)


@FEWER
@given(crowds(), demanding())
def test_victims_are_lower_whole_spared_by_budgets_and_all_needed(cluster, spec):
    before = deepcopy(cluster)

    plan = bayplan.plan(new(spec), cluster)

    assert cluster == before
    gone = numbers_of(cluster, plan["victims"])
    assert len(gone) == len(plan["victims"])
    assert all(each["priority"] < spec["priority"] for each in plan["victims"])
    units = [unit for unit in units_of(cluster["bookings"]) if unit & gone]
    assert all(unit <= gone for unit in units)
    assert keeps_budgets(cluster, gone)
    for unit in units:
        assert not fits(cluster, spec, gone - unit)


@FEWER
@given(crowds(), demanding())
def test_nobody_goes_in_vain_or_unasked(cluster, spec):
    plan, never = (bayplan.plan(new({**spec, "preemption": word}), cluster) for word in ("lower-priority", "never"))

    assert never["victims"] == []
    if not plan["victims"]:
        assert {**plan, "warnings": []} == {**never, "warnings": []}
        assert never["verdict"] in ("fits", "infeasible") or any("preemption:" in each for each in plan["warnings"])


@FEWER
@given(crowds(), demanding(), st.sampled_from((None, "rack")), st.data())
def test_members_that_are_counted_are_members_that_find_a_place(cluster, spec, level, data):
    if level is not None:
        spec["gang"] = {"within": level}
    planner, _ = planner_of(cluster)
    (sized,) = read_sized_workloads(documents_of([new(spec)], "workloads"))
    state = planner.state
    field = CandidateVictims(state.snapshot, found_units(state.bookings), Budgets((), ()))
    counted = CountedMembers.of(state, sized, field)
    event(f"counted: {counted is not None}")
    assume(counted is not None)

    gone = [unit for unit in field.units if data.draw(st.booleans())]

    assert counted.fits(gone) == fits_whole(state.without(bookings_of(gone)), sized)

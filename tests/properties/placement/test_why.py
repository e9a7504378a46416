"""`why` agrees with `plan` on every worker (I9)."""

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.documents import FEWER, clusters, specs, workload
from properties.placement.fitting import takes_no_division
from properties.placement.fleet import fleet

MANY = ("many-workers",)


def feasible(why):
    return {each["worker"] for each in why["workers"] if each["feasible"]}


def spans(spec):
    return bool(spec.get("distributed") or spec.get("gpus", {}).get("locality") == "any")


@FEWER
@given(clusters(most=4, names=("other", "third")), specs(replicas=st.integers(1, 3)))
def test_a_plan_begins_on_workers_that_why_calls_feasible(cluster, spec):
    assume(not takes_no_division(spec, fleet(cluster)))
    plan, why = bayplan.plan(workload(spec), cluster), bayplan.why(workload(spec), cluster)
    there = feasible(why)

    event(plan["verdict"])
    assert why["verdict"] == plan["verdict"]
    assert {each["worker"] for each in why["workers"]} == {each["name"] for each in cluster["workers"]}
    for replica in plan["replicas"][:1]:
        assert {part["worker"] for part in replica["workers"]} <= there
    if not there:
        assert plan["placed"] == 0
    if not spans(spec):
        assert (plan["placed"] > 0) == bool(there)


@FEWER
@given(clusters(most=4, names=("other", "third")), specs())
def test_every_worker_is_feasible_or_says_why_not(cluster, spec):
    assume(not takes_no_division(spec, fleet(cluster)))
    for worker in bayplan.why(workload(spec), cluster)["workers"]:
        assert worker["feasible"] or worker["rejections"]
        assert worker["feasible"] == (worker["score"] is not None)
        for rejection in worker["rejections"]:
            check(rejection)


def check(rejection):
    """Its numbers, where it has them, are those of a shortage."""
    needed, free, short = rejection["needed"], rejection["free"], rejection["short"]
    assert rejection["message"]
    if short is not None:
        assert short > 0
        assert short == needed - free


@FEWER
@given(clusters(most=4, names=("other", "third")), specs())
def test_why_scores_the_picked_worker_as_the_plan_does(cluster, spec):
    assume(not takes_no_division(spec, fleet(cluster)))
    plan, why = bayplan.plan(workload(spec), cluster), bayplan.why(workload(spec), cluster)
    assume(plan["replicas"] and len(plan["replicas"][0]["workers"]) == 1)
    (replica,) = plan["replicas"]
    (worker,) = [each for each in why["workers"] if each["worker"] == replica["workers"][0]["worker"]]
    assume(worker["tier"] == replica["tier"] and not spans(spec))

    assert worker["score"]["total"] == replica["score"]

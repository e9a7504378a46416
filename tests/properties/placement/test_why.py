"""`why` agrees with `plan` on every worker (I9)."""

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.documents import FEWER, OTHERS, clusters, large_models, specs, workload
from properties.placement.fitting import takes_no_division


def feasible(why):
    return {each["worker"] for each in why["workers"] if each["feasible"]}


def spans(spec):
    return bool(spec.get("distributed") or spec.get("gpus", {}).get("locality") == "any")


@FEWER
@given(st.tuples(clusters(most=4, names=OTHERS), specs(replicas=st.integers(1, 3))) | large_models())
def test_a_plan_begins_on_workers_that_why_calls_feasible(both):
    cluster, spec = both
    assume(not takes_no_division(spec))
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
@given(clusters(most=4, names=OTHERS), specs())
def test_every_worker_is_feasible_or_says_why_not(cluster, spec):
    assume(not takes_no_division(spec))
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
@given(clusters(most=4, names=OTHERS), specs())
def test_why_scores_the_picked_worker_as_the_plan_does(cluster, spec):
    assume(not takes_no_division(spec))
    replicas = [each for each in bayplan.plan(workload(spec), cluster)["replicas"] if len(each["workers"]) == 1]
    for replica in () if spans(spec) else replicas:
        name = replica["workers"][0]["worker"]
        (worker,) = bayplan.why(workload(spec), cluster, worker=name)["workers"]
        event(replica["tier"])
        assert (worker["tier"], worker["score"]["total"]) == (replica["tier"], replica["score"])

"""Verdict, tier and shape of one replica agree with an oracle that tries every way."""

import pytest
from hypothesis import event, given

import bayplan
from properties.placement.documents import HALF, OTHERS, clusters, large_models, specs, workload
from properties.placement.fitting import best, takes_no_division, ways
from properties.placement.fleet import backend_of, fleet


@HALF
@given(clusters(names=OTHERS), specs())
def test_one_replica_fits_exactly_where_some_way_does(cluster, spec):
    if spec.get("distributed") or spec.get("gpus", {}).get("locality") == "any":
        spec.pop("cost", None)  # a limit of what all workers of a replica cost together is not the oracle's
    check(cluster, spec)


@HALF
@given(large_models())
def test_a_large_model_goes_to_the_first_tier_that_holds_it(both):
    check(*both)


def check(cluster, spec):
    """Verdict, tier and shape are the oracle's."""
    if takes_no_division(spec):
        with pytest.raises(bayplan.BayplanError, match="divide"):
            bayplan.plan(workload(spec), cluster)
        return
    now, emptied = ways(spec, fleet(cluster)), ways(spec, fleet(cluster, emptied=True))

    plan = bayplan.plan(workload(spec), cluster)

    event(plan["verdict"])
    assert plan["verdict"] == ("fits" if now else "waiting" if emptied else "infeasible")
    if now:
        check_first(spec, plan["replicas"][0], best(now))


def check_first(spec, replica, first):
    """The replica is one of those ways that come first before any score."""
    event(replica["tier"])
    used = [part["worker"] for part in replica["workers"]]
    cards = sum(len(part["gpus"]) for part in replica["workers"])
    found = [way for way in first if way.worker in (None, *used)]
    assert replica["tier"] == first[0].tier
    assert found, (used, first)
    assert {(replica["tp"], replica["pp"], cards)} <= {(way.tp, way.pp, way.cards) for way in found}
    if replica["tier"] == "one-gpu" or backend_of(spec) != "llama-cpp":
        assert ranks(spec, replica) <= {found[0].rank}


def ranks(spec, replica):
    """Which of the models that the workload names were given, by their place in its order."""
    models = spec.get("gpus", {}).get("models", [""])
    given_models = {gpu["model"] for part in replica["workers"] for gpu in part["gpus"]}
    return {next(place for place, model in enumerate(models) if model in name) for name in given_models}

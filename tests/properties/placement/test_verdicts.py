"""Verdict, tier and shape of one replica agree with an oracle that tries every way."""

import pytest
from hypothesis import event, given

import bayplan
from properties.placement.documents import clusters, specs, workload
from properties.placement.fitting import best, takes_no_division, ways
from properties.placement.fleet import fleet


@given(clusters(names=("other", "third")), specs())
def test_one_replica_fits_exactly_where_some_way_does(cluster, spec):
    if takes_no_division(spec, fleet(cluster)):
        with pytest.raises(bayplan.BayplanError, match="divided"):
            bayplan.plan(workload(spec), cluster)
        return
    now, emptied = ways(spec, fleet(cluster)), ways(spec, fleet(cluster, emptied=True))

    plan = bayplan.plan(workload(spec), cluster)

    event(plan["verdict"])
    assert plan["verdict"] == ("fits" if now else "waiting" if emptied else "infeasible")
    if now:
        check_first(plan["replicas"][0], best(now))


def check_first(replica, first):
    """The replica is one of those ways that come first before any score."""
    event(replica["tier"])
    used = [part["worker"] for part in replica["workers"]]
    cards = sum(len(part["gpus"]) for part in replica["workers"])
    found = [way for way in first if way.worker in (None, *used)]
    assert replica["tier"] == first[0].tier
    assert found, (used, first)
    assert {(replica["tp"], replica["pp"], cards)} <= {(way.tp, way.pp, way.cards) for way in found}

"""The score of a plan is the contract's formula, recomputed from the documents; and the best of the rivals won."""

import pytest
from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.documents import FEWER, MINE, card_specs, clusters, model_specs, workload
from properties.placement.fitting import best, takes_no_division, ways
from properties.placement.fleet import fleet
from properties.placement.scoring import binpack, spread

ram = st.sampled_from(({}, {"ram": 8}, {"ram": 16}))


def on_one_worker(plan):
    """The replica and its only part; other plans are of no use here."""
    assume(plan["replicas"] and len(plan["replicas"][0]["workers"]) == 1)
    (replica,) = plan["replicas"]
    return replica, replica["workers"][0]


@FEWER
@given(clusters(most=4, names=("other", "third")), model_specs() | card_specs(), ram)
def test_binpack_is_its_formula(cluster, spec, host):
    spec = {**spec, **host}
    assume(not takes_no_division(spec, fleet(cluster)) and ("model" in spec or "memory" in spec["gpus"]))
    plan = bayplan.plan(workload(spec), cluster)
    replica, part = on_one_worker(plan)
    assume(replica["tier"] != "partial-offload")
    hosts = {each.name: each for each in fleet(cluster)}

    event(replica["tier"])
    assert replica["score"] == pytest.approx(binpack(spec, hosts[part["worker"]], part, replica), abs=1e-9)


@FEWER
@given(clusters(most=4), model_specs() | card_specs())
def test_spread_is_its_formula(cluster, spec):
    there = sum(booking["workload"] == MINE for booking in cluster["bookings"])
    spec = {**spec, "strategy": "spread", "replicas": there + 1}
    assume(not takes_no_division(spec, fleet(cluster)))
    found = ways(spec, fleet(cluster))
    plan = bayplan.plan(workload(spec), cluster)
    replica, part = on_one_worker(plan)
    assume(not spec.get("distributed") or replica["tier"] in ("one-gpu", "one-worker"))
    passed = {way.worker for way in found}
    assume(None not in passed)
    hosts = [each for each in fleet(cluster) if each.name in passed]
    (host,) = [each for each in hosts if each.name == part["worker"]]

    event(f"{len(hosts)} passed")
    assert replica["score"] == pytest.approx(spread(MINE, hosts, host, part["gpus"]), abs=1e-9)


@FEWER
@given(clusters(most=4, names=("other", "third")), model_specs(("vllm", "custom")) | card_specs())
def test_the_fullest_worker_wins_under_pack(cluster, spec):
    """Of those that come first before any score; each is judged by the card that would be fullest."""
    assume(not takes_no_division(spec, fleet(cluster)) and ("model" in spec or "memory" in spec["gpus"]))
    found = best(ways(spec, fleet(cluster)))
    assume(found and found[0].cards == 1 and found[0].worker)
    plan = bayplan.plan(workload(spec), cluster)
    replica, _ = on_one_worker(plan)

    scores = [option["score"] for option in plan["options"] if option["tier"] == replica["tier"]]
    event(f"{len(scores)} options")
    assert replica["score"] == max(scores)
    assert {way.worker for way in found} >= {part["worker"] for part in replica["workers"]}


@FEWER
@given(clusters(most=4), model_specs() | card_specs(), st.sampled_from(("pack", "spread")), st.integers(1, 4))
def test_scores_lie_between_0_and_1(cluster, spec, strategy, replicas):
    spec = {**spec, "strategy": strategy, "replicas": replicas}
    assume(not takes_no_division(spec, fleet(cluster)))
    plan = bayplan.plan(workload(spec, "new"), cluster)

    for scored in (*plan["replicas"], *plan["options"]):
        assert 0 <= scored["score"] <= 1

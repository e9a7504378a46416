"""A gang inside one domain takes the one with the least room of those that hold all, whatever its members take."""

from hypothesis import event, given

import bayplan
from properties.placement.documents import FEWER
from properties.placement.domain_rules import domain
from properties.placement.room_rules import gangs, rooms, roomy_clusters


@FEWER
@given(roomy_clusters(), gangs())
def test_the_domain_with_the_least_room(cluster, spec):
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, cluster)

    found, level, wanted = rooms(cluster, spec), spec["gang"]["within"], spec["replicas"]
    enough = [room for room in found.values() if room >= wanted]
    event(f"{len(enough)} domains")
    assert (plan["verdict"] == "fits") == bool(enough)
    assert plan["proven"]
    workers = {worker["name"]: worker for worker in cluster["workers"]}
    taken = {domain(workers[part["worker"]], level) for each in plan["replicas"] for part in each["workers"]}
    assert [found[each] for each in taken] == ([min(enough)] if enough else [])

"""Members under all rules at once: verdicts, numbers, victims and `why` are those of brute force."""

from hypothesis import event, given

import bayplan
from properties.placement.documents import FEWER
from properties.placement.domain_rules import (
    PRIORITY,
    Rules,
    domain,
    expected,
    harm_of,
    least_harm,
    specs,
    tiny_clusters,
)  # fmt: skip


def mine(spec, **others):
    return {"metadata": {"name": "mine"}, "spec": {**spec, "priority": PRIORITY, **others}}


@FEWER
@given(tiny_clusters(), specs())
def test_verdicts_and_numbers(cluster, spec):
    plan = bayplan.plan(mine(spec), cluster)

    event(plan["verdict"])
    verdict, placed, _ = expected(cluster, spec)
    assert (plan["verdict"], plan["placed"], plan["proven"]) == (verdict, placed, True)


@FEWER
@given(tiny_clusters(), specs())
def test_why(cluster, spec):
    answer = bayplan.why(mine(spec), cluster, changes=False)

    _, _, placeable = expected(cluster, spec)
    gang, level = answer["gang"], (spec.get("gang") or {}).get("within")
    assert gang["placeable"] == placeable
    assert len(gang["blocking"]) == gang["desired"] * (gang["desired"] > 0) - placeable
    if level is None or gang["desired"] <= 0:
        return
    rooms = Rules(cluster, spec).rooms(level)
    for each in answer["workers"]:
        worker = next(one for one in cluster["workers"] if one["name"] == each["worker"])
        short = rooms.get(domain(worker, level), 0) < gang["minimum"]
        codes = {one["code"] for one in each["rejections"]}
        assert ("gang-short" in codes) == short
        assert not (short and each["feasible"])


@FEWER
@given(tiny_clusters(), specs())
def test_victims(cluster, spec):
    plan = bayplan.plan(mine(spec, preemption="lower-priority"), cluster)

    verdict, placed, _ = expected(cluster, spec)
    harm = None if verdict in ("fits", "infeasible") else least_harm(cluster, spec)
    event(f"{verdict}, {'victims' if harm else 'no victims'}")
    keys = {(each["workload"], each["replica"]): number for number, each in enumerate(cluster["bookings"])}
    gone = [keys[each["workload"], each["replica"]] for each in plan["victims"]]
    if harm is None:
        assert (plan["verdict"], plan["placed"], gone) == (verdict, placed, [])
    else:
        assert plan["verdict"] == "fits"
        assert harm_of(cluster, gone) == harm

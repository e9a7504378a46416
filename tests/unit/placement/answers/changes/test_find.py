from __future__ import annotations

import pytest

from bayplan.library.model_sizer import ModelSizer
from bayplan.placement.answers.changes.find import MOST_SHOWN, FoundChanges, find_changes
from bayplan.placement.answers.changes.oracle import Oracle
from unit.placement.answers.changes.asking import LLAMA_70B, asked, changes, cluster, held, kinds, model, worker
from unit.placement.answers.changes.planned import planner, sized

MIXED = cluster(
    worker("a", cards=4, usdPerHour=12, ram="2Ti"),
    worker("b", cards=8, usdPerHour=30, status="cordoned", model="H100-SXM5-80GB"),
    worker("c", cards=4, usdPerHour=4, memory="48Gi", model="L40S", labels={"tier": "edge"}),
    worker("d", cards=8, usdPerHour=2, taints=[{"key": "spare", "effect": "NoSchedule"}]),
    bookings=[held("x", (0, "70Gi"), (1, "70Gi")), held("y", 2, 3, priority=2)],
)
LARGE = {
    "priority": 3,
    "replicas": 1,
    "model": {"weights": "140Gi", "context": 32768, "concurrency": 16, "architecture": LLAMA_70B},
    "backend": {"name": "vllm"},
    "cost": {"maxUsdPerHour": 40},
}


@pytest.mark.parametrize(
    "spec",
    [{"gpus": {"count": 1, "models": ["L40S"]}}, {"model": {"name": "unheard-of"}}],
    ids=["fits", "need unknown"],
)
def test_nothing_to_change(spec):
    assert changes(spec, MIXED) == []


def test_no_more_than_eight_the_least_intrusive_first():
    found = kinds(LARGE, MIXED)

    assert len(found) == MOST_SHOWN
    assert found == [
        "toleration", "worker-status", "concurrency", "context", "more-workers", "more-workers", "preempt",
        "overcommit",
    ]  # fmt: skip


def test_many_of_a_kind_do_not_crowd_out_others():
    labels = {f"l{number}": "x" for number in range(3)}
    others = [worker(f"w{number}", labels={**labels, f"l{number}": "y"}, usdPerHour=1) for number in range(3)]
    spec = {"gpus": {"count": 2}, "selector": {"matchLabels": labels}, "priority": 1}
    full = worker("full", labels=labels)

    found = kinds(spec, cluster(full, *others, bookings=[held("x", 0, 1, on="full")]))

    assert found == ["selector", "selector", "selector", "more-workers", "preempt"]


def test_none_is_told_twice():
    found = changes(LARGE, MIXED)

    assert len({each["detail"] for each in found}) == len(found)


def test_every_change_is_whole():
    for each in changes(LARGE, MIXED):
        assert each["verified"] is True
        assert each["verdict"] == "fits"
        assert each["not_enough"]["verdict"] in ("waiting", "infeasible")
        assert each["cost_usd_per_hour"] > 0


def test_a_search_that_is_cut_off_says_so():
    ground, wanted = planner(MIXED), sized(LARGE)
    verdict = ground.plan(wanted).verdict

    few = find_changes(ground, wanted, verdict, ModelSizer(), Oracle(ground, most_plans=6))
    all_of_them = find_changes(ground, wanted, verdict, ModelSizer())

    assert few.cut_off
    assert 0 < len(few.changes) < len(all_of_them.changes)
    assert not all_of_them.cut_off


def test_a_plan_after_is_the_plan_before():
    ground, wanted = planner(MIXED), sized(LARGE)
    before = ground.plan(wanted)

    assert find_changes(ground, wanted, before.verdict, ModelSizer()) != FoundChanges()

    after = ground.plan(wanted)
    assert (after.verdict, after.bookings) == (before.verdict, before.bookings)
    assert after.refused.summaries() == before.refused.summaries()
    assert ground.plan(sized({"gpus": {"count": 4, "models": ["L40S"]}})).verdict == "fits"


def test_a_role_is_named():
    roles = [{"name": "small", "gpus": {"count": 1}}, {"name": "wide", "gpus": {"count": 3}}]

    (found,) = changes({"roles": roles}, cluster(worker("a")), "gpu-count")

    assert found["field"] == "roles[1].gpus.count"
    assert found["detail"].startswith("role wide: 1 card instead of 3")


def test_former_workloads_stay_where_they_are():
    assert asked({"model": model("70Gi"), "replicas": 1}, cluster(worker(cards=1)))["changes"] == []

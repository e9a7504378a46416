from __future__ import annotations

import pytest

from bayplan.library.model_sizer import ModelSizer
from bayplan.placement.answers.changes.kinds import more_workers
from bayplan.placement.answers.changes.look import Look
from bayplan.placement.answers.changes.oracle import Oracle, SpentError
from bayplan.placement.planning.plan import Verdict
from unit.placement.answers.changes.asking import (
    LLAMA_70B,
    change,
    changes,
    cluster,
    held,
    kinds,
    model,
    verdict,
    worker,
)
from unit.placement.answers.changes.planned import planner, sized

BUSY = [held("other", 0, 1, on="a"), held("more", 0, 1, 2, 3, on="b")]
ON = cluster(
    worker("a", usdPerHour=20), worker("b", cards=4, usdPerHour=8), worker("c", cards=1, usdPerHour=2), bookings=BUSY
)


def test_one_more_of_a_kind_the_cheapest_first():
    first, second = changes({"gpus": {"count": 2}}, ON, "more-workers")

    assert first["detail"] == "1 more worker like b (4 x A100-SXM4-80GB, 8 USD an hour each)"
    assert (first["to"], first["cost_usd_per_hour"]) == ({"count": 1, "like": "b"}, 8)
    assert second["to"] == {"count": 1, "like": "a"}


def test_as_many_as_are_needed_where_one_is_not_enough():
    found = changes({"gpus": {"count": 4}, "replicas": 3}, ON, "more-workers")

    assert [(each["to"], each["not_enough"]["to"]) for each in found] == [
        ({"count": 3, "like": "b"}, {"count": 2, "like": "b"})
    ]


def test_a_new_worker_is_empty_ready_and_sound():
    sick = {"count": 2, "model": "L4", "memory": "24Gi", "health": "unhealthy", "observedUsed": "20Gi"}
    on = cluster({"name": "a", "gpus": sick, "status": "not-ready"})

    assert change({"gpus": {"count": 2}}, on, "more-workers")["to"] == {"count": 1, "like": "a"}


def test_an_example_that_the_workload_allows():
    on = cluster(
        worker("a", labels={"zone": "z1"}, usdPerHour=1), worker("b", labels={"zone": "z2"}, usdPerHour=2),
        bookings=[held("other", 0, 1, on="b")],
    )  # fmt: skip
    spec = {"gpus": {"count": 2}, "selector": {"matchLabels": {"zone": "z2"}}}

    assert change(spec, on, "more-workers")["to"]["like"] == "b"


def test_together_with_what_is_there():
    spec = {"model": model("140Gi", architecture=LLAMA_70B), "backend": {"name": "vllm"}, "distributed": True}
    on = cluster(worker("a", cards=1))

    assert verdict(spec, on) == "infeasible"
    assert change(spec, on, "more-workers")["to"] == {"count": 1, "like": "a"}


def test_no_number_of_workers_makes_one_larger():
    assert "more-workers" not in kinds({"gpus": {"count": 9}}, ON)


def ladders(spec, most_plans):
    ground = planner(ON)
    look = Look(ground, sized(spec), Verdict.INFEASIBLE, ModelSizer(), Oracle(ground, most_plans=most_plans))
    return list(more_workers.ladders(look))


def test_one_plan_tells_that_no_kind_helps():
    assert ladders({"gpus": {"count": 9}}, most_plans=1) == []


def test_members_of_a_gang_are_asked_kind_by_kind():
    spec = {"gpus": {"count": 9}, "gang": {}}

    with pytest.raises(SpentError):
        ladders(spec, most_plans=1)
    assert ladders(spec, most_plans=6) == []

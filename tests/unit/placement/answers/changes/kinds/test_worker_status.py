from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, kinds, worker


@pytest.mark.parametrize("status", ["not-ready", "cordoned", "draining"])
def test_a_closed_worker_would_do(status):
    on = cluster(worker("a", cards=1), worker("b", status=status))

    found = change({"gpus": {"count": 2}}, on, "worker-status")

    assert found["detail"] == f"make b ({status} now) ready"
    assert (found["from"], found["to"]) == ({"b": status}, {"b": "ready"})


def test_two_closed_workers_are_needed():
    on = cluster(*(worker(name, status="cordoned") for name in "ab"))

    found = change({"gpus": {"count": 2}, "replicas": 2}, on, "worker-status")

    assert set(found["to"]) == {"a", "b"}
    assert len(found["not_enough"]["to"]) == 1
    assert found["not_enough"]["verdict"] == "partly"


def test_a_closed_worker_that_would_not_do():
    assert "worker-status" not in kinds({"gpus": {"count": 3}}, cluster(worker("a"), worker("b", status="cordoned")))

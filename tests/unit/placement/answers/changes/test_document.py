from __future__ import annotations

import json

from unit.placement.answers.changes.asking import changes, cluster, held, worker

ON = cluster(worker("a", usdPerHour=3), worker("b"), bookings=[held("x", 0)])


def test_a_document_of_plain_data():
    (found,) = changes({"gpus": {"count": 3}}, cluster(worker("a", usdPerHour=3)))

    assert json.loads(json.dumps(found)) == {
        "change": "gpu-count",
        "detail": "2 cards instead of 3",
        "verified": True,
        "verdict": "fits",
        "field": "gpus.count",
        "from": 3,
        "to": 2,
        "not_enough": {"to": 3, "verdict": "infeasible"},
        "estimate": False,
        "cost_usd_per_hour": 3,
    }


def test_workers_are_paid_once():
    spec = {"gpus": {"count": 1}, "replicas": 4}

    (found,) = changes(spec, cluster(worker("a", usdPerHour=3), bookings=[held("x", 0)]), "replicas")
    assert (found["to"], found["cost_usd_per_hour"]) == (1, 3)


def test_a_price_that_nobody_knows():
    (found,) = changes({"gpus": {"count": 1}, "replicas": 9}, ON, "replicas")

    assert (found["to"], found["cost_usd_per_hour"]) == (3, None)


def test_new_workers_have_their_price():
    (found,) = changes(
        {"gpus": {"count": 2}}, cluster(worker("a", usdPerHour=3), bookings=[held("x", 0)]), "more-workers"
    )

    assert found["cost_usd_per_hour"] == 3

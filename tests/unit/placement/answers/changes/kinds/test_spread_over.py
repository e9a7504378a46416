from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, held, kinds, worker

ON = cluster(worker("a", cards=4, rack="r1"), worker("b", cards=4, rack="r2"), bookings=[held("x", 0, 1, 2, on="b")])
SPEC = {"gpus": {"count": 1}, "replicas": 5, "spreadOver": "rack"}


def test_where_the_racks_are_not_equally_free():
    found = change(SPEC, ON, "spread-over")

    assert (found["field"], found["from"], found["to"]) == ("spreadOver", "rack", None)
    assert found["detail"] == "drop spreadOver: racks may hold unequal numbers of replicas"


def test_no_help_where_there_are_too_few_cards():
    assert "spread-over" not in kinds({**SPEC, "replicas": 6}, ON)


def test_a_workload_that_does_not_spread():
    assert "spread-over" not in kinds({"gpus": {"count": 5}}, ON)

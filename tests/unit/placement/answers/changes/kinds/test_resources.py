from __future__ import annotations

from unit.placement.answers.changes.asking import asked, change, cluster, held, kinds, worker

ON = cluster(worker("a", resources={"rdma/ib": 4}))


def test_less_of_it():
    found = change({"resources": {"rdma/ib": 9}}, ON, "resources")

    assert (found["field"], found["from"], found["to"], found["not_enough"]["to"]) == ("resources.rdma/ib", 9, 4, 5)
    assert found["detail"] == "rdma/ib 9 -> 4 (5 does not fit)"


def test_none_of_it_where_no_worker_offers_it():
    found = change({"resources": {"a/b": 1, "rdma/ib": 1}}, ON, "resources")

    assert (found["to"], found["detail"]) == (0, "ask for no a/b")


def test_not_where_cards_are_missing():
    assert "resources" not in kinds({"resources": {"rdma/ib": 1}, "gpus": {"count": 3}}, ON)


def test_who_holds_it():
    on = cluster(worker("a", resources={"rdma/ib": 4}), bookings=[held(resources={"rdma/ib": 3})])
    (answer,) = asked({"resources": {"rdma/ib": 2}}, on)["workers"]

    assert [each["resources"] for each in answer["held_by"]] == [{"rdma/ib": 3}]

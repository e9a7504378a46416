from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, held, kinds, worker

ON = cluster(worker("a", cards=3), bookings=[held("noisy", 0), held("loud", 0, on="b")])


def test_the_neighbour_that_stands_in_the_way():
    (found,) = changes({"gpus": {"count": 1}, "antiAffinity": ["noisy", "absent"]}, ON, "anti-affinity")

    assert (found["from"], found["to"]) == ("noisy", None)
    assert found["detail"] == "drop noisy from its antiAffinity"


def test_a_neighbour_that_only_takes_cards():
    assert "anti-affinity" not in kinds({"gpus": {"count": 3}, "antiAffinity": ["noisy"]}, ON)

from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, worker

ON = cluster(worker("a", cards=1, region="r1"), worker("b", region="r2"), worker("c", cards=1, region="r3"))


def test_the_region_that_would_do():
    (found,) = changes({"gpus": {"count": 2}, "regions": ["r1"]}, ON, "regions")

    assert (found["from"], found["to"]) == (["r1"], ["r1", "r2"])
    assert found["detail"] == "allow region r2 beside r1"


def test_every_region_is_allowed_already():
    assert not changes({"gpus": {"count": 3}}, ON, "regions")

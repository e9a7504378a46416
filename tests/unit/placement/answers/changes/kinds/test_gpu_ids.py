from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, held, kinds, worker

ON = cluster(worker("a", cards=2), bookings=[held("other", 0)])


def test_any_other_card():
    found = change({"gpus": {"count": 1}, "gpuIds": ["a:cuda:0"]}, ON, "gpu-ids")

    assert found["detail"] == "drop gpuIds: any card instead of a:cuda:0"
    assert (found["from"], found["to"]) == (["a:cuda:0"], None)


def test_there_are_no_other_cards():
    assert "gpu-ids" not in kinds({"gpus": {"count": 2}, "gpuIds": ["a:cuda:0", "a:cuda:1"]}, ON)

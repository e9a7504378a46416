from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, held, kinds, worker

ON = cluster(worker(cards=1), bookings=[held("other", (0, "50Gi"))])


def test_less_memory_of_the_card():
    found = change({"gpus": {"count": 1, "memory": "40Gi"}}, ON, "gpu-memory")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (40960, 30720, 30976)
    assert found["detail"] == "memory of a card 40 GiB -> 30 GiB (30.2 GiB does not fit)"


def test_less_compute_of_the_card():
    half = {"workload": "half", "replica": 0, "worker": "a", "gpus": [{"index": 0, "computePercent": 45}]}

    found = change({"gpus": {"computePercent": 80}}, cluster(worker(cards=1), bookings=[half]), "compute-share")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (80, 55, 56)


def test_more_cards_than_there_are():
    assert "gpu-memory" not in kinds({"gpus": {"count": 2, "memory": "40Gi"}}, ON)

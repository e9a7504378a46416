from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, kinds, worker

ON = cluster(
    worker("a", cards=1, memory="80Gi"),
    worker("b", cards=2, memory="48Gi", model="L40S"),
    worker("c", cards=2, memory="24Gi", model="L4"),
)


def test_the_largest_cards_that_would_do():
    found = change({"gpus": {"count": 2, "cardMemory": "90Gi"}}, ON, "card-memory")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (90 * 1024, 48 * 1024, 80 * 1024)
    assert found["detail"] == "allow cards of 48 GiB instead of 90 GiB (80 GiB does not fit)"


def test_the_size_of_a_card_is_not_what_is_missing():
    assert "card-memory" not in kinds({"gpus": {"count": 3, "cardMemory": "90Gi"}}, ON)

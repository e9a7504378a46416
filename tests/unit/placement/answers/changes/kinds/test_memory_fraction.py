from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, held, kinds, model, worker

BUSY = cluster(worker(cards=1), bookings=[held("other", (0, "20Gi"))])


def vllm(*args, weights="40Gi"):
    return {"model": model(weights), "backend": {"name": "vllm", "args": list(args)}}


def test_the_share_that_is_not_free_is_dropped():
    found = change(vllm("--gpu-memory-utilization", "0.9"), BUSY, "memory-fraction")

    assert found["detail"].startswith("drop --gpu-memory-utilization=0.9: the plan then passes")
    assert (found["field"], found["from"], found["to"]) == ("backend.args", "--gpu-memory-utilization=0.9", None)


def test_no_share_of_one_card_holds_what_is_larger_than_it():
    assert "memory-fraction" not in kinds(vllm("--gpu-memory-utilization=0.9", weights="70Gi"), BUSY)

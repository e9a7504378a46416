from __future__ import annotations

from unit.placement.answers.changes.asking import LLAMA_70B, change, changes, cluster, kinds, model, worker

FOUR = cluster(worker(cards=4))


def vllm(*args, weights="100Gi"):
    return {"model": model(weights, architecture=LLAMA_70B), "backend": {"name": "vllm", "args": list(args)}}


def test_a_flag_that_asks_for_too_many_cards_is_dropped():
    found = change(vllm("--tensor-parallel-size", "8"), FOUR, "parallelism")

    assert found["detail"] == "drop --tensor-parallel-size=8: it would run as tp 2 x pp 1"
    assert (found["from"], found["to"]) == ("--tensor-parallel-size=8", None)
    assert found["not_enough"] == {"to": "--tensor-parallel-size=8", "verdict": "infeasible"}


def test_both_flags_are_dropped_where_neither_alone_suffices():
    (found,) = changes(vllm("-tp", "8", "--pipeline-parallel-size=5"), FOUR, "parallelism")

    assert found["from"] == "-tp=8 --pipeline-parallel-size=5"


def test_fewer_data_parallel_copies():
    found = change(vllm("--data-parallel-size=4"), FOUR, "parallelism")

    assert found["detail"] == "data-parallel copies 4 -> 2 (3 does not fit)"
    assert (found["from"], found["to"]) == ("--data-parallel-size=4", "--data-parallel-size=2")


def test_a_model_that_is_too_large_whatever_the_flags():
    assert "parallelism" not in kinds(vllm("-tp", "2", weights="1000Gi"), FOUR)

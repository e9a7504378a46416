from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, model, worker

PAIR = cluster(worker("a", cards=1), worker("b", cards=1))
BIG = {"model": model(architecture=LLAMA_70B)}


@pytest.mark.parametrize(
    "spec", [{**BIG, "backend": {"name": "vllm"}}, {"gpus": {"count": 2}}], ids=["model", "whole cards"]
)
def test_leave_to_span_workers(spec):
    found = change(spec, PAIR, "distributed")

    assert found["detail"] == "distributed: true: a replica would run on 2 workers"
    assert (found["from"], found["to"], found["verified"]) == (False, True, True)


@pytest.mark.parametrize(
    "spec",
    [{**BIG, "backend": {"name": "custom"}}, {"gpus": {"count": 3}}, {"gpus": {"count": 3}, "distributed": True}],
    ids=["the engine cannot", "not even then", "it may already"],
)
def test_where_spanning_is_no_answer(spec):
    assert "distributed" not in kinds(spec, PAIR)

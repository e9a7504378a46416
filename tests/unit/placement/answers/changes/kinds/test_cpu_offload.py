from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, model, worker

ON = cluster(worker(cards=1, ram="256Gi"))


def engine(name, **others):
    return {"model": model(architecture=LLAMA_70B), "backend": {"name": name}, **others}


@pytest.mark.parametrize(("name", "where"), [("llama-cpp", "partly in RAM"), ("custom", "on the CPU")])
def test_what_does_not_fit_stays_in_ram(name, where):
    assert change(engine(name), ON, "cpu-offload")["detail"] == f"cpuOffload: true: {where}, and slow"


@pytest.mark.parametrize(
    "spec",
    [engine("vllm"), engine("custom", ram="200Gi"), {"gpus": {"count": 2}}],
    ids=["the engine cannot", "not even in RAM", "no model"],
)
def test_where_ram_is_no_answer(spec):
    assert "cpu-offload" not in kinds(spec, ON)

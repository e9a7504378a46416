from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, verdict, worker

pytestmark = pytest.mark.usefixtures("no_headroom")

ON = cluster(worker(cards=1, memory="40Gi"))


def caching(*args, **others):
    cache = {"context": 131072, "weights": "20Gi", "overhead": "1Gi", "architecture": LLAMA_70B}
    return {"model": {**cache, **others}, "backend": {"name": "vllm", "args": list(args)}}


def test_the_longest_context_that_fits():
    found = change(caching(), ON, "context")

    assert found["detail"] == "context 131,072 -> 62,208 tokens (62,464 does not fit)"
    assert (found["field"], found["to"], found["not_enough"]["to"]) == ("model.context", 62208, 62464)
    assert [verdict(caching(context=tokens), ON) for tokens in (62208, 62464)] == ["fits", "infeasible"]


def test_a_flag_is_changed_where_it_is_given():
    spec = caching("--max-model-len", "131072", context=None)

    found = change(spec, ON, "context")

    assert (found["field"], found["to"]) == ("backend.args", 62208)


@pytest.mark.parametrize(
    "others", [{"kvCache": "20Gi"}, {"weights": "39Gi"}], ids=["the cache is given", "no context is short enough"]
)
def test_where_the_context_is_no_answer(others):
    assert "context" not in kinds(caching(**others), ON)

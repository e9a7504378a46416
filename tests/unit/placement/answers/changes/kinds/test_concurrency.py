from __future__ import annotations

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, verdict, worker

ON = cluster(worker(cards=1, memory="40Gi"))


def caching(concurrency, **others):
    cache = {"context": 8192, "weights": "20Gi", "overhead": "1Gi", "architecture": LLAMA_70B}
    return {"model": {**cache, "concurrency": concurrency, **others}, "backend": {"name": "vllm"}}


def test_the_most_requests_that_fit():
    found = change(caching(32), ON, "concurrency")

    assert found["detail"] == "concurrency 32 -> 7 requests at a time (8 does not fit)"
    assert [verdict(caching(each), ON) for each in (7, 8)] == ["fits", "infeasible"]


def test_a_cache_that_was_given_does_not_shrink():
    assert "concurrency" not in kinds(caching(32, kvCache="30Gi"), ON)

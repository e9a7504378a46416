from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, kinds, model, worker

pytestmark = pytest.mark.usefixtures("no_headroom")

ON = cluster(worker(cards=1, memory="40Gi"))


def test_the_largest_cache_that_fits():
    found = change({"model": model("30Gi", kvCache="20Gi"), "backend": {"name": "vllm"}}, ON, "kv-cache")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (20480, 10240, 10304)
    assert found["detail"] == "KV cache 20 GiB -> 10 GiB (10.1 GiB does not fit)"


def test_weights_alone_are_too_large():
    assert "kv-cache" not in kinds({"model": model("41Gi", kvCache="20Gi"), "backend": {"name": "vllm"}}, ON)

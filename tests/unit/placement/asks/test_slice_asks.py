"""MIG instances are asked for by the name of their profile."""

import pytest

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape, Taking
from unit.placement.builders import LLAMA, asks_of, need, role, worker

EIGHT = worker("a", cards=8)


MODEL = need(8000, **LLAMA)


MIG = {
    "one": (role(gpus={"mig": "1G.5gb"}), Taking.SLICES, (CardShape(1),), "1g.5gb"),
    "several": (role(gpus={"mig": "1g.5gb", "count": 3}), Taking.SLICES, (CardShape(3),), "1g.5gb"),
    "none": (role(gpus={"mig": "1g.5gb", "count": 0}), Taking.NOTHING, (), None),
    "whatever the model needs": (
        role(need(unknown="nobody knows"), "vllm", gpus={"mig": "1g.5gb"}), Taking.SLICES, (CardShape(1),), "1g.5gb",
    ),
    "a fraction of the card means nothing": (
        role(MODEL, "vllm", "--gpu-memory-utilization=0.5", gpus={"mig": "3g.20gb"}, allow_overcommit=True),
        Taking.SLICES, (CardShape(1),), "3g.20gb",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "taking", "shapes", "mig"), MIG.values(), ids=MIG)
def test_mig_instances_are_asked_for_by_name(what, taking, shapes, mig):
    (only,) = asks_of(what, EIGHT).asks

    assert (only.taking, only.shapes, only.mig, only.unknown) == (taking, shapes, mig, "")
    assert (only.locality, only.rule.needs_memory) == (None, False)
    assert only.fit is None or only.taking is Taking.NOTHING


def test_a_model_that_its_instances_cannot_hold_is_told():
    assert asks_of(role(MODEL, "vllm", gpus={"mig": "1g.5gb"}), EIGHT).warnings == (
        "gpus.mig: the model needs 7.8 GiB; 1 x 1g.5gb have 5.0 GiB",
    )
    assert asks_of(role(MODEL, "vllm", gpus={"mig": "1g.10gb"}), EIGHT).warnings == ()


FAR = {
    "bandwidth": ({"min_bandwidth_gb_per_s": 50.0}, "bandwidth-short", "needs 50 GB/s between 2 MIG instances"),
    "NVLink": ({"locality": Locality.NVLINK}, "locality", "nvlink cannot be kept among 2 MIG instances"),
}


@pytest.mark.parametrize(("near", "code", "sentence"), FAR.values(), ids=FAR)
def test_several_instances_cannot_be_near_each_other(near, code, sentence):
    (several,) = asks_of(role(gpus={"mig": "1g.5gb", "count": 2, **near}), EIGHT).asks
    (one,) = asks_of(role(gpus={"mig": "1g.5gb", **near}), EIGHT).asks

    assert several.unknown_code == code
    assert several.unknown.startswith(sentence)
    assert (one.taking, one.unknown) == (Taking.SLICES, "")

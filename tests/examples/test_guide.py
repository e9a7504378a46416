"""The objects of NeuroNetes' guide, as they stand there: none is refused, and each goes where its words say."""

from pathlib import Path

import pytest

import bayplan
from bayplan.manifests.reader import read_file

GUIDE = Path(__file__).parents[1] / "fixtures" / "workloads" / "neuronetes-guide.yaml"
A100 = {"count": 8, "model": "A100-SXM4-40GB", "memory": "40Gi", "pcieGen": 4}
SLICES = [{"profile": "1g.5gb", "start": start} for start in range(7)]
CUT = {"index": 0, "model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"enabled": True, "slices": SLICES}}
CLUSTER = {
    "workers": [
        {"name": "linked", "region": "us-east-1", "gpus": A100, "links": "nvswitch", "usdPerHour": 60,
         "carbonGramsPerKwh": 400},
        {"name": "plain", "region": "us-east-1", "gpus": A100, "links": "pcie", "usdPerHour": 60,
         "carbonGramsPerKwh": 400},
        {"name": "cut", "region": "us-east-1", "gpus": [CUT], "usdPerHour": 60, "carbonGramsPerKwh": 400},
        {"name": "lent", "region": "us-east-1", "gpus": {"count": 1, "model": "T4", "memory": "16Gi"},
         "usdPerHour": 0.5, "spot": True, "carbonGramsPerKwh": 400},
        {"name": "clean", "region": "us-west-2", "gpus": {"count": 1, "model": "T4", "memory": "16Gi"},
         "usdPerHour": 60, "carbonGramsPerKwh": 50},
        {"name": "beside", "region": "us-east-1", "gpus": A100, "usdPerHour": 60, "carbonGramsPerKwh": 400,
         "services": ["weaviate-shard-0", "weaviate-shard-1"]},
    ],
}  # fmt: skip
OBJECTS = {document.data["metadata"]["name"]: document.data for document in read_file(GUIDE)}

LEAST = {"minReplicas", "maxReplicas", "agentClassRef", "gpuRequirements"}
WARNED = {
    "tensor-parallel-pool": {"minReplicas", "maxReplicas", "agentClassRef"},
    "small-model-pool": {"minReplicas", "maxReplicas", "agentClassRef"},
    "pipeline-parallel-pool": {"maxReplicas", "agentClassRef"},
    "green-pool": {*LEAST, "scheduling.carbonAware.timeShifting.enabled"},
    "queue-binding": {"agentPoolRef", "type"},
}


@pytest.mark.parametrize("name", OBJECTS)
def test_only_what_the_guide_leaves_out_is_told(name):
    found = bayplan.validate(OBJECTS[name])

    assert found["errors"] == []
    assert {each.split(": ")[1].removeprefix("spec.") for each in found["warnings"]} == WARNED.get(name, LEAST)


PLACES = {
    "tensor-parallel-pool": ({"linked"}, 8),
    "small-model-pool": ({"cut"}, 1),
    "pipeline-parallel-pool": ({"linked", "plain", "beside"}, 8),
    "cost-optimized-pool": ({"lent"}, 1),
    "spot-pool": ({"linked", "plain", "beside"}, 1),  # 80 % of one replica are none
    "green-pool": ({"clean"}, 1),
    "rag-pool": ({"beside"}, 1),
    "cached-pool": ({"linked", "plain", "beside"}, 1),
    "high-priority-pool": ({"linked", "plain", "beside"}, 1),
}


@pytest.mark.parametrize(("name", "expected"), PLACES.items(), ids=PLACES)
def test_each_pool_is_placed(name, expected):
    workers, cards = expected
    plan = bayplan.plan(OBJECTS[name], CLUSTER)

    parts = [part for replica in plan["replicas"] for part in replica["workers"]]
    assert plan["verdict"] == "fits"
    assert {part["worker"] for part in parts} <= workers
    assert sum(len(part["gpus"]) for part in parts) == cards


def test_the_important_pool_pushes_others_aside():
    held = [{"workload": "other", "worker": "only", "gpus": [{"index": 0}], "priority": 999}]
    cluster = {"workers": [{"name": "only", "gpus": {"count": 1, "model": "T4", "memory": "16Gi"}}], "bookings": held}

    plan = bayplan.plan(OBJECTS["high-priority-pool"], cluster)

    assert (plan["verdict"], [victim["workload"] for victim in plan["victims"]]) == ("fits", ["other"])
    assert bayplan.plan(OBJECTS["cached-pool"], cluster)["verdict"] == "waiting"


def test_the_pipeline_needs_eight_cards_and_not_four():
    seven = {"workers": [{"name": "seven", "gpus": {"count": 7, "model": "T4", "memory": "16Gi"}}]}

    plan = bayplan.plan(OBJECTS["pipeline-parallel-pool"], seven)

    assert (plan["verdict"], plan["placed"], plan["minimum"]) == ("infeasible", 0, 4)

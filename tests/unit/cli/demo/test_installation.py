import pytest

from bayplan.cli.demo.installation import applied, demo_objects
from bayplan.sim.demo.contents import NAMESPACE, demo_scenario


def test_the_examples_speak_every_dialect_and_are_all_in_the_namespace():
    objects = demo_objects()

    groups = {each.target.resource.collection.group for each in objects}
    assert groups == {
        "", "apps", "batch", "bayplan.io", "neuronetes.io", "ai.centauruscloud.io", "scheduling.x-k8s.io",
        "mlops.seldon.io", "inference.networking.k8s.io",
    }  # fmt: skip
    assert {each.target.namespace for each in objects} == {NAMESPACE}
    assert "coder-7b" in {each.target.name for each in objects}  # what GPUStack knows became a Workload


def test_the_fleet_has_what_the_examples_need():
    workers = demo_scenario().cluster["workers"]

    assert {each["region"] for each in workers} == {"eu-north", "eu-west", "us-east"}
    assert {each["links"] for each in workers} == {"nvswitch", "pcie"}
    assert {each.get("spot", False) for each in workers} == {True, False}
    cut = [gpu for each in workers if isinstance(each["gpus"], list) for gpu in each["gpus"] if "mig" in gpu]
    assert len(cut) == 2
    mixed = [{gpu["model"] for gpu in each["gpus"]} for each in workers if isinstance(each["gpus"], list)]
    assert {"A100-PCIE-40GB", "L4"} in mixed


CONDITION = {"type": "Applied", "status": "True"}
SAID = {"conditions": [CONDITION]}
CLUSTERS = {
    "just made": ({"metadata": {"generation": 1}}, None),
    "changed since": ({"metadata": {"generation": 2}, "status": {**SAID, "observedGeneration": 1}}, None),
    "its workers are Nodes": ({"metadata": {"generation": 2}, "status": {**SAID, "observedGeneration": 2}}, CONDITION),
}


@pytest.mark.parametrize(("cluster", "condition"), CLUSTERS.values(), ids=CLUSTERS)
def test_a_cluster_is_applied_when_it_says_so_of_its_present_generation(cluster, condition):
    assert applied(cluster) == condition

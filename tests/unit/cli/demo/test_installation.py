import pytest

from bayplan.cli.demo.installation import applied, demo_objects
from bayplan.cli.demo.model_files import NAMES, ModelFiles
from bayplan.sim.demo.contents import NAMESPACE, demo_scenario


def test_the_examples_speak_every_dialect_and_are_all_in_the_namespace(tmp_path):
    objects = demo_objects(ModelFiles(tmp_path))

    groups = {each.target.resource.collection.group for each in objects}
    assert groups == {
        "", "apps", "batch", "bayplan.io", "neuronetes.io", "ai.centauruscloud.io", "scheduling.x-k8s.io",
        "mlops.seldon.io", "inference.networking.k8s.io",
    }  # fmt: skip
    assert {each.target.namespace for each in objects} == {NAMESPACE}
    assert "coder-7b" in {each.target.name for each in objects}  # what GPUStack knows became a Workload


@pytest.mark.parametrize("simulated", [True, False])
def test_models_are_where_their_files_are(tmp_path, simulated):
    objects = demo_objects(ModelFiles(tmp_path, simulated))

    found = {each.target.name: each.document for each in objects if each.document["kind"] == "Model"}
    assert {name: each["spec"]["storageUri"] for name, each in found.items() if name in NAMES} == {
        name: f"file://{tmp_path}/{name}" for name in NAMES
    }
    servers = [each.document["metadata"] for each in objects if each.document["kind"] == "Server"]
    backends = [(each.get("annotations") or {}).get("bayplan.io/backend") for each in servers]
    assert backends == ["simulated" if simulated else None] * 2


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

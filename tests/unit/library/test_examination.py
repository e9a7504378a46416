"""One object as a client writes it: all problems, all ignored fields, all assumptions."""

from __future__ import annotations

from pathlib import Path

import pytest

from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.resource_type import Support
from bayplan.library.examination import NOT_CHECKED, examine
from bayplan.manifests.reader import read_file
from bayplan.manifests.stored_kinds import UNSUPPORTED
from unit.library.silent_fields import silent_fields

FIXTURES = Path(__file__).parents[2] / "fixtures"
GUIDE = [each.data for each in read_file(FIXTURES / "dialects" / "neuronetes-guide.yaml")]
FRAGMENTS = [each.data for each in read_file(FIXTURES / "dialects" / "neuronetes-fragments.yaml")]
JOBS = [each.data for each in read_file(FIXTURES / "dialects" / "training-jobs.yaml")]
KEPT_KINDS = [each.data for each in read_file(FIXTURES / "dialects" / "kept-kinds.yaml")]
NEURONETES = "neuronetes.io/v1alpha1"


def pool(spec):
    return {"apiVersion": NEURONETES, "kind": "AgentPool", "metadata": {"name": "p"}, "spec": spec}


def paths(findings):
    return [each.path for each in findings]


def test_the_guide_has_ten_objects_and_parts_for_eight_pools():
    assert (len(GUIDE), len(FRAGMENTS)) == (10, 8)


@pytest.mark.parametrize("document", GUIDE, ids=lambda each: each["metadata"]["name"])
def test_the_objects_of_the_guide_are_accepted_as_they_are(document):
    assert examine(document).errors == ()


@pytest.mark.parametrize("spec", FRAGMENTS, ids=range(len(FRAGMENTS)))
def test_the_parts_of_the_guide_are_accepted_inside_a_pool(spec):
    assert examine(pool(spec)).errors == ()


EVERY = [*GUIDE, *map(pool, FRAGMENTS), *JOBS]


@pytest.mark.parametrize("document", EVERY, ids=range(len(EVERY)))
def test_every_field_is_used_or_told(document):
    assert silent_fields(document) == []


def test_all_problems_at_once_with_paths_inside_the_object():
    found = examine(pool({"minReplicas": -1, "gpuRequirements": {"count": 0, "memory": "much"}}))

    assert paths(found.errors) == [
        "spec.gpuRequirements.count",
        "spec.gpuRequirements.memory",
        "spec.minReplicas",
    ]
    assert not found.valid
    assert found.errors[0].message.startswith("0 ")
    assert found.errors[0].next


def test_unknown_and_unused_fields_are_ignored_with_a_reason():
    spec = {"gpuRequirements": {"count": 1, "colour": "red"}, "prewarmPercent": 10, "replcas": 2}
    found = {each.path: each for each in examine(pool(spec)).ignored}

    assert found.keys() == {"spec.gpuRequirements.colour", "spec.prewarmPercent", "spec.replcas"}
    assert "did you mean 'replicas'?" in found["spec.replcas"].reason
    assert found["spec.replcas"].neglect == "unknown"
    assert found["spec.prewarmPercent"].neglect == "unused"


def test_inside_an_ignored_field_only_misspelt_ones_are_told():
    spec = {"autoscaling": {"strategy": "max", "stratgy": "min"}}

    assert paths(examine(pool(spec)).ignored) == ["spec.autoscaling.stratgy", "spec.autoscaling"]


def test_assumptions_are_notes():
    notes = {each.path: str(each) for each in examine(pool({})).notes}

    assert "one card of any model is assumed" in notes["spec.gpuRequirements"]


def test_a_binding_without_a_pool_is_noted():
    binding = {"apiVersion": NEURONETES, "kind": "ToolBinding", "metadata": {"name": "b"}, "spec": {"type": "queue"}}

    assert [str(each) for each in examine(binding).notes] == [
        "spec.agentPoolRef: is missing; name the pool that the binding feeds"
    ]


def pod(**spec):
    containers = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
    metadata = {"name": "a", "labels": {"scheduling.x-k8s.io/pod-group": "g"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


CLASS = {"apiVersion": NEURONETES, "kind": "AgentClass", "metadata": {"name": "c"}, "spec": {"modelRef": {"name": "m"}}}
GROUP = {
    "apiVersion": "scheduling.x-k8s.io/v1alpha1",
    "kind": "PodGroup",
    "metadata": {"name": "g"},
    "spec": {"minMember": 1},
}
PRIORITY = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
REFERRING = {
    "a pool to a class": (pool({"agentClassRef": {"name": "c"}}), CLASS, "no AgentClass 'c'"),
    "a Pod to a group": (pod(), GROUP, "no PodGroup 'g'"),
    "a Pod to a priority": (pod(priorityClassName="high"), PRIORITY, "no PriorityClass 'high'"),
}


@pytest.mark.parametrize(("document", "other", "words"), REFERRING.values(), ids=REFERRING)
def test_a_missing_object_is_noted_only_where_the_neighbours_are_known(document, other, words):
    def told(neighbours):
        return words in " ".join(map(str, examine(document, neighbours).notes))

    assert (told(None), told([]), told([other])) == (False, True, False)


def test_a_pod_keeps_what_its_runtime_needs():
    found = examine(pod(restartPolicy="Never", dnsPolicy="None"))

    assert (found.errors, found.ignored, found.notes) == ((), (), ())
    assert paths(found.for_runtime) == [
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.dnsPolicy",
        "spec.restartPolicy",
    ]


@pytest.mark.parametrize(("version", "kind"), [("bayplan.io", "Workload"), ("neuronetes.io", "AgentPool")])
def test_how_an_engine_is_started_is_left_to_the_runtime(version, kind):
    backend = {"name": "vllm", "command": ["vllm", "serve"], "image": "vllm:1", "env": {"A": "b"}}
    spec = {"replicas": 1, "backend": backend, "agentClassRef": {"name": "c"}, "minReplicas": 1, "maxReplicas": 1}
    own = spec if kind == "AgentPool" else {"backend": backend}
    document = {"apiVersion": f"{version}/v1alpha1", "kind": kind, "metadata": {"name": "x"}, "spec": own}

    found = examine(document)
    wrong = examine({**document, "spec": {**own, "backend": {**backend, "name": "vlm", "command": "x", "odd": 1}}})

    assert found.errors == ()
    assert {"spec.backend.command", "spec.backend.image", "spec.backend.env"} <= set(paths(found.for_runtime))
    assert {"spec.backend.name", "spec.backend.command"} <= set(paths(wrong.errors))
    assert "spec.backend.odd" in paths(wrong.ignored)


def test_a_misspelt_field_of_a_container_is_told():
    document = pod()
    document["spec"]["containers"][0]["resource"] = {}

    assert paths(examine(document).ignored) == ["spec.containers[0].resource"]


def test_a_demand_that_no_worker_can_meet_is_noted():
    found = examine(pod(resourceClaims=[{"name": "gpu"}]))

    assert found.valid
    assert [each.message for each in found.notes] == [
        "no worker can take it: what the resource claims gpu ask for is not known"
    ]


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
INVENTORY = {
    "a node": (
        NODE | {
            "spec": {"unschedulable": "maybe", "taints": [{"key": "a", "effect": "Never"}]},
            "status": {"allocatable": {"cpu": "x", "nvidia.com/gpu": "-1"}, "capcity": {}},
        },
        ["spec.unschedulable", "spec.taints[0].effect", "status.allocatable.cpu",
         'status.allocatable["nvidia.com/gpu"]'],
        ["status.capcity"],
    ),
    "what the reader of zones alone finds": (
        {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": "n"},
         "zones": [{"name": "socket", "type": "Node"}]},
        ["zones[0].name"],
        [],
    ),
    "zones": (
        {
            "apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": "n"},
            "zones": [
                {"name": "node-0", "type": "Node", "resources": [{"name": "cpu", "available": "x"}]},
                {"name": "node-1", "type": "Node", "costs": [{"name": "node-0"}],
                 "resources": [{"name": "example.com/nic", "available": 1}]},
            ],
        },
        ["zones[0].resources[0].available", "zones[1].costs[0].value"],
        ["zones[1].resources[0]"],
    ),
    "a budget": (
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
         "spec": {"minAvailable": "x", "unhealthyPodEvictionPolicy": "AlwaysAllow", "selector": {"matchLabels": {}}}},
        ["spec.minAvailable"],
        ["spec.unhealthyPodEvictionPolicy"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("document", "errors", "ignored"), INVENTORY.values(), ids=INVENTORY)
def test_objects_that_describe_the_cluster(document, errors, ignored):
    found = examine(document)

    assert (paths(found.errors), paths(found.ignored)) == (errors, ignored)


def test_nothing_is_said_about_a_node_that_is_elsewhere():
    zones = {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology", "metadata": {"name": "n"}}

    assert examine(zones).notes == ()


OTHERS = {
    "a pipeline": ("mlops.seldon.io/v1alpha1", "Pipeline", "data does not flow between models here"),
    "a quota": ("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "quotas of namespaces are not kept"),
    "a ConfigMap": ("v1", "ConfigMap", NOT_CHECKED),
}


@pytest.mark.parametrize(("version", "kind", "reason"), OTHERS.values(), ids=OTHERS)
def test_kinds_that_nothing_acts_on(version, kind, reason):
    found = examine({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": {"steps": []}})

    assert found.valid
    assert found.unsupported == reason


def test_reasons_are_the_ones_that_the_api_gives():
    kinds = [each for each in REGISTRY.kinds if each.support is Support.UNSUPPORTED]

    assert {(api.group, each.kind): each.reason for each in kinds for api in each.apis} == UNSUPPORTED


@pytest.mark.parametrize("document", KEPT_KINDS, ids=lambda each: each["kind"])
def test_kept_kinds_are_checked(document):
    found = examine(document)

    assert (found.errors, found.ignored, found.notes, found.unsupported) == ((), (), (), "")
    assert all(".parameters." in path for path in silent_fields(document))


NO_OBJECTS = {"nothing": None, "a text": "x", "a list": [1, 2], "items": {"kind": "List", "items": []}, "empty": {}}


@pytest.mark.parametrize("document", NO_OBJECTS.values(), ids=NO_OBJECTS)
def test_what_is_no_object(document):
    assert not examine(document).valid


PICKER = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "metadata": {"name": "c"}}
PICKERS = {
    "an unknown field": (PICKER | {"warp": 1}, ["warp"]),
    "a parameter": (
        PICKER | {"plugins": [{"type": "load-aware-scorer", "parameters": {"treshold": 1}}]},
        ["plugins[0].parameters.treshold"],
    ),
    "no name": (PICKER | {"metadata": {"labels": {}}}, ["metadata.name"]),
}


@pytest.mark.parametrize(("document", "where"), PICKERS.values(), ids=PICKERS)
def test_a_server_refuses_what_validation_refuses(document, where):
    assert paths(examine(document).errors) == where


def test_a_server_tells_what_is_deprecated():
    found = examine(PICKER | {"apiVersion": "inference.networking.x-k8s.io/v1alpha1"})

    assert found.valid
    assert [each.path for each in found.notes] == ["apiVersion"]


def test_a_config_and_a_cluster():
    config = {"apiVersion": "bayplan.io/v1alpha1", "kind": "SchedulerConfig", "schedulingProfiles": [{"plugins": 5}]}
    cluster = {"apiVersion": "bayplan.io/v1alpha1", "kind": "Cluster", "workers": [{"ram": "x"}]}

    assert paths(examine(config).errors) == ["schedulingProfiles[0].name", "schedulingProfiles[0].plugins"]
    assert paths(examine(cluster).errors) == ["workers[0].name", "workers[0].ram"]

"""What an object must pass before it is stored, and what its writer is told."""

from pathlib import Path

import pytest

from bayplan.api.patches.managed_fields import IGNORED
from bayplan.manifests.reader import read_file
from served_api import run

POOLS = "/apis/neuronetes.io/v1alpha1/namespaces/default/agentpools"
PODS = "/api/v1/namespaces/default/pods"
FIXTURES = Path(__file__).parents[2] / "fixtures" / "dialects"


def pool(**spec):
    base = {"agentClassRef": {"name": "c"}, "minReplicas": 1, "maxReplicas": 2, "gpuRequirements": {"count": 1}}
    return {
        "apiVersion": "neuronetes.io/v1alpha1",
        "kind": "AgentPool",
        "metadata": {"name": "p"},
        "spec": {**base, **spec},
    }


def pod(**spec):
    containers = [{"name": "c", "image": "i:1"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": containers, **spec}}


def created(url, body, query=""):
    async def talk(api):
        return await api.ask("POST", url + query, body)

    return run(talk)


def test_every_problem_at_once_with_its_path():
    answer = created(POOLS, pool(minReplicas=5, gpuRequirements={"count": 0, "memory": "40 apples"}))

    assert answer.status == 422
    assert answer.json["reason"] == "Invalid"
    fields = {each["field"] for each in answer.json["details"]["causes"]}
    assert {"spec.gpuRequirements.count", "spec.gpuRequirements.memory"} <= fields


def test_an_ignored_field_is_told_and_kept_with_the_object():
    cost = {"costOptimization": {"enabled": True, "sloHeadroomMs": 5}}
    answer = created(POOLS, pool(scheduling=cost))

    path = "spec.scheduling.costOptimization.sloHeadroomMs"
    assert answer.status == 201
    assert any(each.startswith(path) for each in answer.warnings)
    assert path in answer.json["metadata"]["annotations"][IGNORED].split(", ")


def test_the_note_of_ignored_fields_goes_with_them_and_has_no_owner():
    async def talk(api):
        cost = {"costOptimization": {"enabled": True, "sloHeadroomMs": 5}}
        first = await api.ask("POST", POOLS, pool(scheduling=cost))
        patch = {"spec": {"scheduling": {"costOptimization": {"sloHeadroomMs": None}}}}
        second = await api.ask("PATCH", f"{POOLS}/p", patch, media="application/merge-patch+json")
        return first.json, second.json

    first, second = run(talk)
    assert "sloHeadroomMs" in first["metadata"]["annotations"][IGNORED]
    assert "sloHeadroomMs" not in second["metadata"]["annotations"][IGNORED]
    assert IGNORED not in str(first["metadata"]["managedFields"])


@pytest.mark.parametrize(("query", "status"), [("", 201), ("?fieldValidation=Ignore", 201)])
def test_unknown_fields_are_not_refused(query, status):
    assert created(PODS, pod(nodeNmae="x"), query).status == status


def test_unknown_fields_are_told():
    assert created(PODS, pod(nodeNmae="x")).warnings == ['unknown field "spec.nodeNmae"']


def test_a_note_that_has_no_room_for_all_fields_says_how_many_are_missing():
    tools = [{"name": "t" * 30, f"field{number}{'x' * 60}": 1} for number in range(90)]
    spec = {"modelRef": {"name": "m"}, "toolPermissions": tools}
    url = POOLS.replace("agentpools", "agentclasses")
    note = created(url, {"metadata": {"name": "c"}, "spec": spec}).json["metadata"]["annotations"][IGNORED]

    *named, rest = note.split(", ")
    assert all(each.startswith("spec.") for each in named)
    assert len(named) + int(rest.removeprefix("and ").removesuffix(" more")) == 91


def test_more_unknown_fields_than_are_named_are_told_as_well():
    answer = created(POOLS, pool(**{f"field{number}": 1 for number in range(150)}))

    assert "there may be more" in answer.json["metadata"]["annotations"][IGNORED]
    assert any("more warnings" in each for each in answer.warnings)


def test_unknown_fields_are_refused_where_the_client_says_so():
    answer = created(PODS, pod(nodeNmae="x"), "?fieldValidation=Strict")

    assert answer.status == 400
    assert "spec.nodeNmae" in answer.json["message"]


MISMATCHES = {
    "kind": {"kind": "Service"},
    "apiVersion": {"apiVersion": "v2"},
    "namespace": {"metadata": {"name": "p", "namespace": "other"}},
    "metadata": {"metadata": 5},
}


@pytest.mark.parametrize("change", MISMATCHES.values(), ids=MISMATCHES)
def test_what_the_object_and_the_url_say_must_agree(change):
    assert created(PODS, {**pod(), **change}).status == 400


def test_a_namespace_where_there_is_none_is_left_out_and_told():
    topology = {"metadata": {"name": "w", "namespace": "default"}, "zones": []}
    answer = created("/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies", topology)

    assert answer.status == 201
    assert "namespace" not in answer.json["metadata"]
    assert any(each.startswith("metadata.namespace: ") for each in answer.warnings)


INFERENCE = "/apis/inference.networking"
NAMESPACED = "namespaces/default/inferencepools?fieldValidation=Strict"
NEW = {"selector": {"matchLabels": {"app": "a"}}, "targetPorts": [{"number": 8000}], "endpointPickerRef": {"name": "e"}}
OLD = {"selector": {"app": "a"}, "targetPortNumber": 8000, "extensionRef": {"name": "e"}}


@pytest.mark.parametrize("spec", [NEW, OLD, OLD | {"selector": NEW["selector"]}], ids=["new", "old", "mixed"])
@pytest.mark.parametrize("api", ["k8s.io/v1", "x-k8s.io/v1alpha2", "x-k8s.io/v1alpha1"])
def test_a_pool_of_either_form_is_taken_by_both_groups(api, spec):
    answer = created(f"{INFERENCE}.{api}/{NAMESPACED}", {"metadata": {"name": "p"}, "spec": spec})

    assert answer.status == 201, answer.json
    assert not any("unknown" in each or "no such field" in each for each in answer.warnings)


def test_a_dry_run_keeps_nothing():
    async def talk(api):
        answer = await api.ask("POST", f"{PODS}?dryRun=All", pod())
        return answer.status, (await api.ask("GET", f"{PODS}/p")).status

    assert run(talk) == (201, 404)


GUIDE = read_file(FIXTURES / "neuronetes-guide.yaml")


@pytest.mark.parametrize("document", GUIDE, ids=lambda each: each.data["metadata"]["name"])
def test_the_manifests_of_the_guide_are_taken_as_they_are(document):
    data = document.data
    plural = {"AgentPool": "agentpools", "ToolBinding": "toolbindings", "Model": "models", "AgentClass": "agentclasses"}
    url = f"/apis/{data['apiVersion']}/namespaces/default/{plural[data['kind']]}?fieldValidation=Strict"
    answer = created(url, data)

    assert answer.status == 201, answer.json


def test_the_other_name_of_the_group_is_the_same_objects():
    async def talk(api):
        other = pool() | {"apiVersion": "neuronetes.ai/v1alpha1"}
        url = POOLS.replace("neuronetes.io", "neuronetes.ai")
        return [
            (await api.ask("POST", url, other)).json["apiVersion"],
            (await api.ask("GET", f"{url}/p")).json["apiVersion"],
            (await api.ask("GET", f"{POOLS}/p")).json["apiVersion"],
        ]

    assert run(talk) == ["neuronetes.ai/v1alpha1", "neuronetes.ai/v1alpha1", "neuronetes.io/v1alpha1"]


PICKERS = "/apis/llm-d.ai/v1alpha1/namespaces/default/endpointpickerconfigs"


def picker(**parts):
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "metadata": {"name": "c"},
        "plugins": [{"type": "queue-scorer"}],
        **parts,
    }


def test_a_picker_s_configuration_is_taken():
    answer = created(PICKERS, picker(parser=None, flowControl={"maxRequests": "1k"}))

    assert answer.status == 201
    assert any(each.startswith("flowControl: flowControl is ignored") for each in answer.warnings)


REFUSED_PICKERS = {
    "a type": (picker(plugins=[{"type": "queue"}]), "plugins[0].type"),
    "a parameter": (
        picker(plugins=[{"type": "load-aware-scorer", "parameters": {"treshold": 1}}]),
        "plugins[0].parameters.treshold",
    ),
    "a gate": (picker(featureGates=["warp"]), "featureGates[0]"),
    "a reference": (picker(requestHandler={"parsers": [{"pluginRef": "x"}]}), "requestHandler.parsers[0].pluginRef"),
    "an unknown field": (picker(warp=1), "warp"),
}


@pytest.mark.parametrize(("document", "field"), REFUSED_PICKERS.values(), ids=REFUSED_PICKERS)
def test_what_validation_refuses_of_a_picker_s_configuration_is_not_stored(document, field):
    answer = created(PICKERS, document)

    assert answer.status == 422
    assert [each["field"] for each in answer.json["details"]["causes"]] == [field]

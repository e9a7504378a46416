"""Clients learn the kinds from discovery, in both forms alike."""

from bayplan.control.resources import discovery
from bayplan.control.resources.kinds import KINDS


def listed(group, version):
    return {each["name"]: each for each in discovery.resource_list(group, version)["resources"]}


def test_the_core_group_stands_alone():
    assert discovery.core_versions()["versions"] == ["v1"]
    assert "" not in {each["name"] for each in discovery.group_list()["groups"]}


def test_a_group_prefers_its_first_version():
    group = discovery.group_document("policy")

    assert group["preferredVersion"]["groupVersion"] == "policy/v1"
    assert [each["version"] for each in group["versions"]] == ["v1", "v1beta1"]
    assert discovery.group_document("nothing.example") is None
    assert discovery.group_document("") is None


def test_pods_and_their_subresources():
    found = listed("", "v1")

    assert found["pods"]["shortNames"] == ["po"]
    assert found["pods"]["categories"] == ["all"]
    assert "watch" in found["pods"]["verbs"]
    assert (found["pods/eviction"]["kind"], found["pods/eviction"]["group"]) == ("Eviction", "policy")
    assert found["pods/binding"]["kind"] == "Binding"
    assert not found["nodes"]["namespaced"]


def test_pools_can_be_scaled():
    assert listed("neuronetes.io", "v1alpha1")["agentpools/scale"]["kind"] == "Scale"


def test_an_alias_has_no_short_names():
    assert "shortNames" not in listed("neuronetes.ai", "v1alpha1")["agentpools"]
    assert "categories" not in listed("neuronetes.ai", "v1alpha1")["agentpools"]


def test_an_unknown_api_has_no_list():
    assert discovery.resource_list("apps", "v2") is None


def test_the_aggregated_form_says_the_same():
    groups = {
        each["metadata"].get("name", ""): each for core in (True, False) for each in discovery.aggregated(core)["items"]
    }
    for kind in KINDS:
        for api in kind.apis:
            [version] = [each for each in groups[api.group]["versions"] if each["version"] == api.version]
            [found] = [each for each in version["resources"] if each["resource"] == kind.plural]
            assert found["responseKind"] == {"group": api.group, "version": api.version, "kind": kind.kind}
            assert found["verbs"] == listed(api.group, api.version)[kind.plural]["verbs"]
            parts = [f"{kind.plural}/{each['subresource']}" for each in found.get("subresources", ())]
            assert set(parts) <= set(listed(api.group, api.version))


def test_the_core_is_the_only_item_of_api():
    assert [each["metadata"].get("name") for each in discovery.aggregated(core=True)["items"]] == [None]

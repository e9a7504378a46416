"""Pods of one template are checked once; whatever differs is checked again."""

from copy import deepcopy

import pytest

from served_api import run

PODS = "/api/v1/namespaces/default/pods"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"app": "x"}},
    "spec": {"schedulerName": "bayplan", "containers": [{"name": "c", "image": "i:1"}]},
}


def pod(name, **spec):
    made = deepcopy(POD)
    made["metadata"]["name"] = name
    made["spec"] |= spec
    return made


def test_pods_of_one_template_get_the_same_defaults():
    async def talk(api):
        first, second = await api.ask("POST", PODS, pod("a")), await api.ask("POST", PODS, pod("b"))
        return first.json["spec"], second.json["spec"]

    first, second = run(talk)
    assert first == second
    assert first["restartPolicy"] == "Always"


WRONG = {
    "a name": ({"name": "No Name"}, {}, 422),
    "a label": ({"name": "b", "labels": {"app": "no value!"}}, {}, 422),
    "a type": ({"name": "b"}, {"priority": "high"}, 422),
    "a missing field": ({"name": "b"}, {"containers": [{}]}, 422),
    "a type in the metadata": ({"name": "b", "generation": "x", "labels": {"app": "x"}}, {}, 422),
    "a time": ({"name": "b", "creationTimestamp": "yesterday"}, {}, 422),
    "an owner": ({"name": "b", "ownerReferences": [{"name": "x"}]}, {}, 422),
}


@pytest.mark.parametrize(("metadata", "spec", "code"), WRONG.values(), ids=WRONG)
def test_what_differs_from_a_pod_that_passed_is_checked(metadata, spec, code):
    async def talk(api):
        assert (await api.ask("POST", PODS, pod("a"))).status == 201
        return await api.ask("POST", PODS, {**pod("b", **spec), "metadata": metadata})

    assert run(talk).status == code


def test_ignored_fields_are_told_every_time():
    async def talk(api):
        return [await api.ask("POST", PODS, pod(name, unheard=1)) for name in "abc"]

    assert [len(answer.warnings) for answer in run(talk)] == [1, 1, 1]


def test_strict_checks_refuse_what_passed_before_with_a_warning():
    async def talk(api):
        await api.ask("POST", PODS, pod("a", unheard=1))
        return await api.ask("POST", f"{PODS}?fieldValidation=Strict", pod("b", unheard=1))

    assert run(talk).status == 400


CHANGED = {
    "a label": ({"name": "b", "labels": {"app": "y"}}, 0),
    "an annotation": ({"name": "b", "annotations": {"note": "y"}}, 0),
    "what a store writes": ({"name": "b", "creationTimestamp": "2026-01-01T00:00:00Z", "generation": 3}, 0),
    "a demand in an annotation": ({"name": "b", "annotations": {"kueue.x-k8s.io/podset-required-topology": "z"}}, 1),
    "an unknown field of the metadata": ({"name": "b", "unheard": "x"}, 1),
}


@pytest.mark.parametrize(("metadata", "warnings"), CHANGED.values(), ids=CHANGED)
def test_metadata_that_says_something_is_looked_at(metadata, warnings):
    async def talk(api):
        await api.ask("POST", PODS, pod("a"))
        return await api.ask("POST", PODS, {**pod("b"), "metadata": metadata})

    answer = run(talk)
    assert (answer.status, len(answer.warnings)) == (201, warnings)
    assert answer.json["metadata"]["labels" if "labels" in metadata else "name"]


def test_each_pod_owns_its_own_fields():
    async def talk(api):
        other = {**pod("b"), "metadata": {"name": "b", "annotations": {"note": "y"}}}
        return [await api.ask("POST", PODS, each) for each in (pod("a"), other)]

    first, second = (answer.json["metadata"]["managedFields"][0]["fieldsV1"] for answer in run(talk))
    assert first["f:spec"] == second["f:spec"] != {}
    assert first["f:metadata"] == {"f:labels": {".": {}, "f:app": {}}}
    assert second["f:metadata"] == {"f:annotations": {".": {}, "f:note": {}}}


def test_what_passed_as_a_change_is_told_about_when_it_is_new():
    gated = {"schedulingGates": [{"name": "wait"}]}

    async def talk(api):
        return [
            await api.ask("POST", PODS, pod("a", **gated)),
            await api.ask("PUT", f"{PODS}/a", pod("a", **gated, activeDeadlineSeconds=9)),
            await api.ask("POST", PODS, pod("b", **gated, activeDeadlineSeconds=9)),
        ]

    assert [(answer.status, len(answer.warnings)) for answer in run(talk)] == [(201, 1), (200, 0), (201, 1)]


def test_pods_share_nothing_that_the_server_fills_in():
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    high = {"metadata": {"name": "high"}, "value": 7, "globalDefault": True}

    async def talk(api):
        await api.ask("POST", PODS, pod("before"))
        await api.ask("POST", classes, high)
        during = await api.ask("POST", PODS, pod("during"))
        await api.ask("DELETE", f"{classes}/high")
        return during, await api.ask("POST", PODS, pod("after"))

    during, after = run(talk)
    assert during.json["spec"]["priority"] == 7
    assert "priority" not in after.json["spec"]


def test_pods_share_nothing_that_is_kept_of_one():
    unbound = {"spec": {"nodeName": None}}

    async def talk(api):
        for name in "ab":
            await api.ask("POST", PODS, pod(name))
            target = {"metadata": {"name": name}, "target": {"kind": "Node", "name": f"node-{name}"}}
            await api.ask("POST", f"{PODS}/{name}/binding", target)
        return [
            await api.ask("PATCH", f"{PODS}/{name}", unbound, media="application/merge-patch+json") for name in "ab"
        ]

    assert [answer.json["spec"]["nodeName"] for answer in run(talk)] == ["node-a", "node-b"]

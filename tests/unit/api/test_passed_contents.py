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

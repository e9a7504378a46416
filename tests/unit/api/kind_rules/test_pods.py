"""Pods: what may change, and where their priority comes from."""

import pytest

from bayplan.api.kind_rules.pods import keep_resolved, pod_changes
from served_api import run
from unit.api.objects import PODS, pod, post

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


def priority_class(name, value, **more):
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    } | more


TOLERATION = {"key": "gpu", "operator": "Exists"}
GATED = {"schedulingGates": [{"name": "wait"}]}
CHANGES = {
    "nothing": ({}, {}, True),
    "an image": ({}, {"containers": [{"name": "c", "image": "i:2"}]}, True),
    "another container": ({}, {"containers": [{"name": "d", "image": "i:1"}]}, False),
    "one container more": ({}, {"containers": [{"name": "c", "image": "i:1"}, {"name": "d"}]}, False),
    "a deadline": ({}, {"activeDeadlineSeconds": 5}, True),
    "a node": ({}, {"nodeName": "n"}, False),
    "another node": ({"nodeName": "n"}, {"nodeName": "m"}, False),
    "a node selector": ({}, {"nodeSelector": {"a": "b"}}, False),
    "a node selector while it may not be placed": (GATED, {**GATED, "nodeSelector": {"a": "b"}}, True),
    "one gate less": (GATED, {}, True),
    "one gate more": ({}, GATED, False),
    "a further toleration": ({}, {"tolerations": [TOLERATION]}, True),
    "one toleration less": ({"tolerations": [TOLERATION]}, {}, False),
    "an empty list instead of none": ({}, {"volumes": []}, True),
    "the service account": ({}, {"serviceAccountName": "x"}, False),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "allowed"), CHANGES.values(), ids=CHANGES)
def test_what_may_change(old, new, allowed):
    causes = list(pod_changes(pod(**old), pod(**new)))

    assert bool(causes) is not allowed
    assert {each.reason for each in causes} <= {"FieldValueForbidden"}


def test_what_the_server_found_out_is_kept():
    new = pod()

    keep_resolved(pod(priority=5, preemptionPolicy="Never", nodeName="n"), new)

    assert (new["spec"]["priority"], new["spec"]["preemptionPolicy"], new["spec"]["nodeName"]) == (5, "Never", "n")


def test_a_manifest_that_is_sent_again_leaves_the_node_as_it_is():
    async def talk(api):
        await post(api, PODS, pod())
        target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}}
        await api.ask("POST", f"{PODS}/p/binding", target)
        return await api.ask("PUT", f"{PODS}/p", pod(labels={"a": "b"}))

    answer = run(talk)
    assert answer.status == 200
    assert answer.json["spec"]["nodeName"] == "n"


PRIORITIES = {
    "a class": ({"priorityClassName": "urgent"}, ("urgent", 900, "Never")),
    "the default class": ({}, ("usual", 10, "PreemptLowerPriority")),
    "a class of Kubernetes": (
        {"priorityClassName": "system-node-critical"},
        ("system-node-critical", 2_000_001_000, "PreemptLowerPriority"),
    ),
}


@pytest.mark.parametrize(("spec", "expected"), PRIORITIES.values(), ids=PRIORITIES)
def test_priorities(spec, expected):
    async def talk(api):
        await post(
            api,
            CLASSES,
            priority_class("urgent", 900, preemptionPolicy="Never"),
            priority_class("usual", 10, globalDefault=True),
            priority_class("other", 20, globalDefault=True),
        )
        (made,) = await post(api, PODS, pod(**spec))
        return made["spec"]

    made = run(talk)
    assert (made["priorityClassName"], made["priority"], made["preemptionPolicy"]) == expected


def test_a_class_that_does_not_exist_is_refused():
    async def talk(api):
        return await api.ask("POST", PODS, pod(priorityClassName="nowhere"))

    answer = run(talk)
    assert (answer.status, answer.json["reason"]) == (403, "Forbidden")
    assert "no PriorityClass with name nowhere was found" in answer.json["message"]


def test_without_classes_the_priority_stays_as_given():
    async def talk(api):
        return await post(api, PODS, pod("a", priority=7), pod("b"))

    first, second = run(talk)
    assert first["spec"]["priority"] == 7
    assert "priority" not in second["spec"]

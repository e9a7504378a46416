"""Rules of Pods, from the document to the plan."""

from __future__ import annotations

import pytest

import bayplan

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
OWN = {"matchLabels": {"app": "chat"}}


def worker(name, **more):
    return {"name": name, "cpu": 16, "ram": "64Gi", "gpus": {"count": 2, "model": "L4", "memory": "24Gi"}, **more}


WORKERS = [
    worker("a", zone="z1", labels={"pool": "x"}),
    worker("b", zone="z1", labels={"pool": "y", "fast": "yes"}),
    worker("c", zone="z2", labels={"pool": "y"}),
]


def deployment(replicas, **spec):
    limits = {"cpu": 1}
    template = {
        "metadata": {"labels": {"app": "chat"}},
        "spec": {"containers": [{"name": "c", "resources": {"limits": limits}}], **spec},
    }
    metadata = {"name": "chat"}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {"replicas": replicas, "template": template},
    }  # fmt: skip


def nodes(*terms):
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def label(key, value):
    return {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}


def field(name, operator="In"):
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": [name]}]}


WHERE = {
    "a node by name": ({"nodeName": "b"}, {"b"}),
    "a node by field": (nodes(field("c")), {"c"}),
    "any node but one": (nodes(field("c", "NotIn")), {"a", "b"}),
    "a field or a label": (nodes(field("c"), label("fast", "yes")), {"b", "c"}),
    "two labels": (nodes(label("pool", "x"), label("fast", "yes")), {"a", "b"}),
    "a node that is not there": ({"nodeName": "d"}, set()),
}


@pytest.mark.parametrize(("spec", "workers"), WHERE.values(), ids=WHERE)
def test_only_these_workers(spec, workers):
    plan = bayplan.plan(deployment(48, **spec), {"workers": WORKERS})

    assert {part["worker"] for each in plan["replicas"] for part in each["workers"]} == workers
    assert plan["placed"] == 16 * len(workers)


def test_one_replica_to_a_worker():
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": OWN}
    plan = bayplan.plan(deployment(4, affinity={"podAntiAffinity": {REQUIRED: [term]}}), {"workers": WORKERS})

    assert plan["placed"] == 3
    assert {each["code"] for each in plan["rejections"]} == {"anti-affinity"}


def test_evenly_over_zones():
    rule = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": OWN, "maxSkew": 1}
    plan = bayplan.plan(deployment(6, topologySpreadConstraints=[rule]), {"workers": WORKERS})
    on = [part["worker"] for each in plan["replicas"] for part in each["workers"]]

    assert (plan["verdict"], on.count("c")) == ("fits", 3)


def stored(amount, *workers):
    limits = {"ephemeral-storage": amount, "cpu": 1}
    pod = deployment(4, containers=[{"name": "c", "resources": {"limits": limits}}])
    return bayplan.plan(pod, {"workers": list(workers)})


def test_storage_counts_where_workers_state_it():
    plan = stored("10Gi", worker("a", resources={"ephemeral-storage": "25Gi"}), worker("b", resources={"x/y": 1}))

    assert plan["placed"] == 2
    assert {each["code"] for each in plan["rejections"]} == {"resource-short"}
    messages = " ".join(each["message"] for each in plan["rejections"])
    assert "needs 10240 MiB of ephemeral-storage, 5120 of 25600 MiB are free" in messages


def test_storage_that_no_worker_states_is_told():
    plan = stored("10Gi", worker("a"))

    assert plan["verdict"] == "fits"
    assert any("no worker states how much ephemeral-storage" in each for each in plan["warnings"])


GANG = {
    "metadata": {"name": "train"},
    "spec": {
        "gang": {}, "roles": [{"name": "head", "cpu": 1}, {"name": "worker", "replicas": 2, "gpus": {"count": 1}}]
    },
}  # fmt: skip


def booked(*roles):
    card = {"worker": "a", "workload": "train", "gang": "train"}
    return [
        {**card, "replica": number, "role": role, "gpus": [{"index": number}] if role == "worker" else []}
        for number, role in enumerate(roles)
    ]


LOST = {
    "the head": (("worker", "worker"), ["head"]),
    "a worker": (("worker", "head"), ["worker"]),
    "no one": (("worker", "worker", "head"), []),
}


@pytest.mark.parametrize(("there", "placed"), LOST.values(), ids=LOST)
def test_a_gang_gets_the_members_that_it_lost(there, placed):
    plan = bayplan.plan(GANG, {"workers": WORKERS, "bookings": booked(*there)})

    assert (plan["verdict"], [each["role"] for each in plan["replicas"]]) == ("fits", placed)


def test_a_role_with_too_many_members_gives_some_back():
    plan = bayplan.plan(GANG, {"workers": WORKERS, "bookings": booked("worker", "worker", "head", "head")})

    assert [each["replica"] for each in plan["removals"]] in ([2], [3])

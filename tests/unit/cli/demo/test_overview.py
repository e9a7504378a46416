import json

import pytest

from bayplan.cli.demo.overview import Overview, owner_of, state_of
from bayplan.cli.output import Sheet

READY = [{"type": "Ready", "status": "True"}]


def pod(name="a", *, node="w", phase="Running", ready=False, owner=None, labels=None, cards=(), waiting="", gone=False):
    metadata = {"name": name, "labels": labels or {}}
    if owner:
        metadata["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "controller": True}]
    if cards:
        metadata["annotations"] = {"bayplan.io/devices": json.dumps([{"runtime": "cuda", "index": n} for n in cards])}
    if gone:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status = {"phase": phase, "conditions": READY if ready else []}
    if waiting:
        status["containerStatuses"] = [{"state": {"waiting": {"reason": waiting}}}]
    return {"metadata": metadata, "spec": {"nodeName": node} if node else {}, "status": status}


STATES = {
    "pending":  pod(node="", phase="Pending"),
    "starting": pod(phase="Pending"),
    "loading":  pod(),
    "ready":    pod(ready=True),
    "crashing": pod(waiting="CrashLoopBackOff"),
    "stopping": pod(ready=True, gone=True),
    "done":     pod(phase="Succeeded"),
    "failed":   pod(phase="Failed", gone=True),
}  # fmt: skip


@pytest.mark.parametrize(("state", "document"), STATES.items(), ids=STATES)
def test_the_state_of_a_pod_is_one_word(state, document):
    assert state_of(document) == state


OWNERS = {
    "nothing made it":   (pod("solo"), "pod/solo"),
    "a job":             (pod(owner=("Job", "batch")), "job/batch"),
    "a deployment":      (pod(owner=("ReplicaSet", "web-abc"), labels={"pod-template-hash": "abc"}), "deployment/web"),
    "a bare ReplicaSet": (pod(owner=("ReplicaSet", "web-abc")), "replicaset/web-abc"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "owner"), OWNERS.values(), ids=OWNERS)
def test_the_owner_of_a_pod_is_what_a_user_applied(document, owner):
    assert owner_of(document) == owner


def waiting(name, state="waiting", pods=2, message="no room"):
    return {"namespace": "demo", "kind": "workloads.bayplan.io", "workload": name, "state": state, "pods": pods,
            "message": message}  # fmt: skip


def test_replicas_of_one_owner_on_one_worker_are_one_row():
    job = ("Job", "batch")
    nodes = {
        "w": {"metadata": {"labels": {"topology.kubernetes.io/region": "eu"}}},
        "here": {"metadata": {"labels": {"bayplan.io/runtime": "process"}}},
    }
    pods = [
        pod("x", owner=job, ready=True, cards=(0, 1)),
        pod("y", owner=job, cards=(2,)),
        pod("z", node="here", owner=job, ready=True, cards=(0,)),
        pod("over", owner=job, phase="Succeeded", cards=(7,)),
    ]
    where, why = [each for each in Overview(pods, nodes, [waiting("big")]).parts() if isinstance(each, Sheet)]

    assert where.rows == [
        ("job/batch", "here (process)", "-", "cuda:0", "1 ready"),
        ("", "w", "eu", "cuda:0-2", "1 ready, 1 loading, 1 done"),
    ]
    assert why.rows == [("workload/big", "2", "waiting", "no room")]


def test_where_nothing_waits_that_is_said():
    assert "nothing waits" in list(Overview([], {}, []).parts())


def test_pods_are_settled_that_are_ready_over_or_refused():
    pods = [pod("a", ready=True), pod("b"), pod("c", phase="Failed"), pod("d", node=""), pod("e", node="")]

    assert Overview(pods, {}, [waiting("big")]).settled == 4
    assert Overview(pods, {}, [waiting("big", state="new")]).settled == 2


def model(name, state="", why="", server=None, available=0, **spec):
    told = [{"type": "ModelReady", "message": state, "reason": why or state}] if state else []
    status = {"conditions": told, "availableReplicas": available, "selector": server and f"server={server}"}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


def test_models_say_where_they_are_and_why_not():
    whole = model("iris", "ModelAvailable", server="tabular", available=1)
    short = model("wine", "ModelAvailable", "tabular: 2 of 3 fit", "tabular", 2, replicas=3)
    refused = model("large", "ScheduleFailed", "tabular/0: needs 512 MiB, 32 MiB are free")
    found = Overview([], {}, [], [whole, short, refused])

    rows = next(each.rows for each in found.parts() if isinstance(each, Sheet) and each.header[0] == "MODEL")
    assert rows == [
        ("model/iris", "tabular", "1 of 1", "ModelAvailable", ""),
        ("model/wine", "tabular", "2 of 3", "ModelAvailable", "tabular: 2 of 3 fit"),
        ("model/large", "-", "0 of 1", "ScheduleFailed", "tabular/0: needs 512 MiB, 32 MiB are free"),
    ]
    assert (found.serving_models, found.refused_models, found.undecided) == (["iris", "wine"], ["large"], 0)


def test_models_that_are_loaded_or_were_not_looked_at_are_undecided():
    assert Overview([], {}, [], [model("new"), model("iris", "ModelProgressing")]).undecided == 2

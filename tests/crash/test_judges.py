"""The judges of the crash test find what is wrong, and let pass what is right."""

import pytest

from bayplan.manifests.marks import BOOKING, DEVICES, EPOCH, PREEMPTED_BY, RECORD
from crash.gangs import Gangs
from crash.pod_lives import Owners, PodLives
from crash.timeline import Version
from crash.users import Memory

GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def pod(revision, name="p", node="", *, record="1-1", change="MODIFIED", owner="w", status="", going=False, why=""):
    """A version of a Pod; `status` is a phase, or `ready` or `unready`; `going`: it is being deleted."""
    held = {BOOKING: f"on {node}", DEVICES: "[]", EPOCH: record.partition("-")[0], RECORD: record} if node else {}
    metadata = {
        "name": name, "uid": name, "annotations": held | ({PREEMPTED_BY: why} if why else {}),
        "ownerReferences": [{"uid": owner}], **(GOING if going else {}),
    }  # fmt: skip
    ready = {"ready": "True", "unready": "False"}.get(status)
    conditions = [{"type": "Ready", "status": ready}] if ready else []
    document = {
        "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node} if node else {},
        "status": {"phase": "Running" if ready else status or "Pending", "conditions": conditions},
    }  # fmt: skip
    return Version(revision, "pods", "default", name, change, document)


def workload(revision, replicas, change="MODIFIED"):
    metadata = {"name": "w", "uid": "w"}
    document = {"kind": "Workload", "metadata": metadata, "spec": {"replicas": replicas, "gang": {}}}
    return Version(revision, "workloads.bayplan.io", "default", "w", change, document)


BOUND = {"node": "a"}
LIVES = {
    "bound, ready, ended":       ([{}, BOUND, BOUND | {"status": "ready"}, BOUND | {"status": "Succeeded"}], ""),
    "another worker":            ([BOUND, {"node": "b"}],                                        "on a, now on 'b'"),
    "no worker any more":        ([BOUND, {}],                                                   "on a, now on ''"),
    "another record":            ([BOUND, BOUND | {"record": "1-2"}],                            "held {"),
    "ready no more":             ([BOUND | {"status": "ready"}, BOUND | {"status": "unready"}],  "does not any more"),
    "bound in an earlier term":  ([BOUND | {"record": "2-1"}, BOUND | {"name": "q"}],            "bound in epoch 1"),
    "it goes":                   ([BOUND, BOUND | {"going": True}],                              "without a reason"),
    "it is gone":                ([{}, {"change": "DELETED"}],                                   "without a reason"),
    "it makes room":             ([BOUND, BOUND | {"going": True, "why": "default/first"}],      ""),
    "its owner is gone":         ([{}, {"owner": "other", "change": "DELETED"}],                 ""),
}  # fmt: skip


@pytest.mark.parametrize(("versions", "said"), LIVES.values(), ids=LIVES)
def test_lives(versions, said):
    owners = Owners()
    owners.feed(workload(0, 2))
    lives = PodLives(Memory(), owners)

    found = [each for revision, given in enumerate(versions) for each in lives.feed(pod(revision + 1, **given))]

    assert bool(found) is bool(said)
    assert said in "".join(found)


BOTH = "wants 2, new x, new y, bind x 1-1, bind y 1-1"
GANGS = {
    "both at once":                    (BOTH, True),
    "one of two":                      ("wants 2, new x, new y, bind x 1-1", False),
    "one for one that went":           (f"{BOTH}, goes y, new z, bind z 1-2", True),
    "one for two that went":           (f"{BOTH}, goes x, goes y, new z, bind z 1-2", False),
    "one goes as another is bound":    (f"{BOTH}, new z, goes x, bind z 1-2", True),
    "more are wanted after the bind":  (f"{BOTH}, wants 4", True),
    "one of two more":                 (f"{BOTH}, wants 4, new z, bind z 1-2", False),
    "two more":                        (f"{BOTH}, wants 4, new z, new u, bind z 1-2, bind u 1-2", True),
    "fewer are wanted meanwhile":      ("wants 2, new x, new y, wants 1, bind x 1-1", True),
    "the owner is gone":               ("wants 2, new x, new y, ends 2, bind x 1-1", True),
}  # fmt: skip


@pytest.mark.parametrize(("story", "right"), GANGS.values(), ids=GANGS)
def test_gangs(story, right):
    gangs, pods = Gangs(), PodLives(Memory(), Owners())
    for revision, step in enumerate(story.split(", "), 1):
        verb, who, *record = step.split()
        if verb in ("wants", "ends"):
            gangs.feed(workload(revision, int(who), "DELETED" if verb == "ends" else "MODIFIED"))
        else:
            bound = pods.lives[who].held.get(RECORD, "") if verb == "goes" else "".join(record)
            list(pods.feed(pod(revision, who, "n" if bound else "", record=bound, going=verb == "goes")))

    found = list(gangs.wrong(pods.lives.values(), pods.bound_by, 0))

    assert (not found) is right

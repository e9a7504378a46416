import pytest

from bayplan.library.status.pod_facts import PodFacts, PodState, Tally, facts_of, listed
from bayplan.manifests.marks import REVISION, ROLE
from unit.library.status.observed import NOW, NOW_TEXT, pods

READY = {"type": "Ready", "status": "True", "lastTransitionTime": "t"}
CRASH = {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "exit code 1"}}}
CREATING = {"state": {"waiting": {"reason": "ContainerCreating"}}}


def pod(phase=None, node="", deleting=False, labels=None, **status):
    metadata = {
        "name": "p",
        **({"deletionTimestamp": "t"} if deleting else {}),
        **({"labels": labels} if labels else {}),
    }
    told = {**({"phase": phase} if phase else {}), **status}
    return {"metadata": metadata, "spec": {"nodeName": node} if node else {}, **({"status": told} if told else {})}


UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "why"}
FACTS = {
    "nothing is said": (pod(), PodFacts(PodState.WAITING)),
    "it waits": (pod("Pending"), PodFacts(PodState.WAITING)),
    "it waits, and why": (
        pod("Pending", conditions=[UNSCHEDULABLE]), PodFacts(PodState.WAITING, reason="Unschedulable", message="why")),
    "the reason is gone once it is bound": (
        pod("Pending", "w", conditions=[UNSCHEDULABLE]), PodFacts(PodState.STARTING)),
    "bound": (pod("Pending", "w", containerStatuses=[CREATING]), PodFacts(PodState.STARTING)),
    "running": (pod("Running", "w"), PodFacts(PodState.RUNNING)),
    "ready": (pod("Running", "w", conditions=[READY]), PodFacts(PodState.RUNNING, "t")),
    "not ready any more": (pod("Running", "w", conditions=[{**READY, "status": "False"}]), PodFacts(PodState.RUNNING)),
    "crashing": (
        pod("Running", "w", containerStatuses=[CRASH]),
        PodFacts(PodState.RUNNING, reason="CrashLoopBackOff", message="exit code 1")),
    "leaving": (pod("Running", "w", deleting=True), PodFacts(PodState.LEAVING)),
    "succeeded": (pod("Succeeded", "w", deleting=True), PodFacts(PodState.SUCCEEDED)),
    "failed": (
        pod("Failed", "w", reason="Evicted", message="m"), PodFacts(PodState.FAILED, reason="Evicted", message="m")),
    "a role and a revision": (
        pod(labels={ROLE: "decode", REVISION: "r"}), PodFacts(PodState.WAITING, role="decode", revision="r")),
    "the revision of a StatefulSet": (
        pod(labels={"controller-revision-hash": "r"}), PodFacts(PodState.WAITING, revision="r")),
}  # fmt: skip


@pytest.mark.parametrize(("document", "facts"), FACTS.values(), ids=FACTS)
def test_facts(document, facts):
    assert facts_of(document) == facts


def test_counting():
    tally = pods(ready=2, running=1, refused=3, crashing=1, failed=1, leaving=1, succeeded=1)

    assert (tally.all, tally.live, tally.ready, tally.bound, tally.waiting, tally.failing) == (10, 7, 2, 4, 3, 2)


def test_what_is_added_and_removed_leaves_nothing():
    tally, facts = Tally(), PodFacts(PodState.WAITING)
    for _ in range(3):
        tally.add(facts)
    for _ in range(3):
        tally.remove(facts)

    assert tally.all == 0
    assert not tally.counts


def test_sums_and_parts():
    whole = Tally.sum([pods(ready=1), pods(ready=2, role="a")])

    assert whole.ready == 3
    assert whole.of(lambda facts: facts.role == "a").ready == 2


def test_pods_are_available_after_a_while():
    tally = pods(ready=2, running=1)

    assert tally.available(NOW + 10, 0) == 2
    assert tally.available(NOW + 10, 30) == 0
    assert tally.available(NOW + 30, 30) == 2
    assert tally.next_available_s(NOW + 10, 30) == 20
    assert tally.next_available_s(NOW + 40, 30) is None
    assert tally.next_available_s(NOW, 0) is None
    assert Tally([PodFacts(PodState.RUNNING, "?")]).available(NOW, 5) == 0


def test_reasons_are_counted_the_most_frequent_first():
    facts = [PodFacts(PodState.WAITING, reason="U", message=message) for message in "aabbbcde"]
    facts += [PodFacts(PodState.RUNNING, ready_at=NOW_TEXT)]

    reasons = Tally(facts).reasons(lambda each: each.live)

    assert reasons[:2] == [("U", "b", 3), ("U", "a", 2)]
    assert listed(reasons) == "3 Pods: b; 2 Pods: a; 1 Pod: c; 2 for other reasons"
    assert listed([]) == ""

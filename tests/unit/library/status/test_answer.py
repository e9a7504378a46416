from pathlib import Path

import pytest
import yaml

import bayplan

CASES = yaml.safe_load((Path(__file__).parent / "pod_groups.yaml").read_text())["cases"]
GROUP = {
    "apiVersion": "scheduling.x-k8s.io/v1alpha1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "team", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"minMember": 2},
}


def pod(name, phase="Running", namespace="team", **metadata):
    labels = {"scheduling.x-k8s.io/pod-group": "g"}
    metadata = {"name": name, "namespace": namespace, "labels": labels, **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": {"phase": phase}}


@pytest.mark.parametrize("case", CASES, ids=[each["id"] for each in CASES])
def test_cases(case):
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(bayplan.BayplanError) as caught:
            bayplan.status(case["documents"], now=case["now"])
        assert expected["error"]["place_contains"] in caught.value.place
        return

    found = bayplan.status(case["documents"], now=case["now"])

    several = len(expected["status"]) > 1
    assert found["kind"] == ("StatusList" if several else "Status")
    answers = found["items"] if several else [found]
    assert len(answers) == len(expected["status"])
    for answer, wanted in zip(answers, expected["status"], strict=True):
        assert {key: answer[key] for key in wanted} == wanted


def test_pods_may_be_in_the_cluster_and_count_in_their_namespace_only():
    found = bayplan.status([GROUP, pod("a")], [pod("b"), pod("c", namespace="other")], now=1_800_000_000)

    assert (found["pods"], found["phase"], found["namespace"]) == (2, "Running", "team")


def test_pods_that_are_being_deleted_do_not_count():
    going = pod("b", deletionTimestamp="2026-01-01T00:00:00Z")

    assert bayplan.status([GROUP, pod("a"), going])["pods"] == 1


def test_a_list_of_kubectl_is_read():
    found = bayplan.status({"apiVersion": "v1", "kind": "List", "items": [GROUP, pod("a"), pod("b")]})

    assert found["running"] == 2


def test_without_a_time_nobody_knows_whether_it_is_late():
    assert bayplan.status(GROUP)["timed_out"] is None
    assert bayplan.status([GROUP, pod("a"), pod("b")])["timed_out"] is False
    assert bayplan.status({**GROUP, "metadata": {"name": "g"}})["timed_out"] is False


REFUSED = {
    "no group": ([pod("a")], None, "documents"),
    "a group without a name": ([{**GROUP, "metadata": {}}], None, "metadata.name"),
    "no document": ("text", None, "documents"),
    "a phase that is no text": ([{**GROUP, "status": {"phase": ["Running"]}}], None, "status.phase"),
    "labels that are none": ([GROUP, pod("a", labels=[1])], None, "metadata.labels"),
    "a time that is none": ([GROUP], "soon", "now"),
    "no number": ([GROUP], float("nan"), "now"),
}  # fmt: skip


@pytest.mark.parametrize(("documents", "now", "place"), REFUSED.values(), ids=REFUSED)
def test_wrong_input_is_refused_with_its_place(documents, now, place):
    with pytest.raises(bayplan.BayplanError) as caught:
        bayplan.status(documents, now=now)

    assert place in caught.value.place

"""PodDisruptionBudgets keep Pods from being pushed aside."""

import pytest

import bayplan
from bayplan.cluster.booking import Budget
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import node, pod, read

GROUP = "scheduling.x-k8s.io/pod-group"
WEB = {"matchLabels": {"app": "web"}}


def budget(name="keep", *, selector=WEB, namespace=None, **limits):
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    spec = {"selector": selector, **limits}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


def grouped(*names, group="g", **others):
    return [pod(name, labels={GROUP: group, "app": "web"}, **others) for name in names]


def budgets(*objects):
    return {each.workload: each.min_available for each in read(node(gpu="8"), *objects).cluster.budgets}


LIMITS = {
    "a number": ({"minAvailable": 2}, 2),
    "a number in quotes": ({"minAvailable": "2"}, 2),
    "a percentage, rounded up": ({"minAvailable": "50%"}, 2),
    "all": ({"minAvailable": "100%"}, 3),
    "more than there are": ({"minAvailable": 9}, 9),
    "nobody need stay": ({"minAvailable": 0}, None),
    "one may go": ({"maxUnavailable": 1}, 2),
    "a percentage may go, rounded up": ({"maxUnavailable": "34%"}, 1),
    "nobody may go": ({"maxUnavailable": 0}, 3),
    "all may go": ({"maxUnavailable": "100%"}, None),
    "more may go than there are": ({"maxUnavailable": 9}, None),
}


@pytest.mark.parametrize(("limit", "kept"), LIMITS.values(), ids=LIMITS)
def test_limits(limit, kept):
    inventory = read(node(gpu="8"), *grouped("a", "b", "c"), budget(**limit))

    assert inventory.cluster.budgets == (() if kept is None else (Budget("g", kept),))
    assert inventory.warnings == ()


SELECTORS = {
    "labels": (WEB, True),
    "the group": ({"matchLabels": {GROUP: "g"}}, True),
    "another label": ({"matchLabels": {"app": "db"}}, False),
    "an expression": ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}, True),
    "an expression that fails": ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
    "everybody": ({}, True),
    "nobody": (None, False),
}


@pytest.mark.parametrize(("selector", "selected"), SELECTORS.values(), ids=SELECTORS)
def test_selectors(selector, selected):
    inventory = read(budget(selector=selector, minAvailable=1), node(gpu="8"), *grouped("a", "b"))

    assert inventory.cluster.budgets == ((Budget("g", 1),) if selected else ())
    assert [("selects no Pod" in each) for each in inventory.warnings] == [True] * (not selected)


def test_pods_of_another_namespace_are_not_meant():
    assert budgets(*grouped("a"), budget(namespace="other", minAvailable=1)) == {}


def test_pods_that_are_over_do_not_count_and_those_that_wait_do():
    over, waiting = grouped("over", phase="Failed"), grouped("waiting", on="")

    assert budgets(*grouped("a", "b"), *over, *waiting, budget(maxUnavailable=1)) == {"g": 2}


SINGLE = [pod("a", labels={"app": "web"}), pod("b", labels={"app": "web"}), pod("c")]
SEVERAL = {
    "none may go": (SINGLE, {"maxUnavailable": 0}, {"a": 1, "b": 1}, False),
    "some may go": (SINGLE, {"maxUnavailable": 1}, {"a": 1, "b": 1}, True),
    "all may go": (SINGLE, {"minAvailable": 0}, {}, False),
    "one Pod": (SINGLE[1:], {"minAvailable": 1}, {"b": 1}, False),
    "a part of a group": ([*grouped("a", "b"), pod("c", labels={GROUP: "g"})], {"minAvailable": 1}, {"g": 3}, True),
}


@pytest.mark.parametrize(("pods", "limit", "kept", "told"), SEVERAL.values(), ids=SEVERAL)
def test_pods_that_are_no_workload_of_their_own_all_stay(pods, limit, kept, told):
    inventory = read(node(gpu="8"), *pods, budget(**limit))

    assert {each.workload: each.min_available for each in inventory.cluster.budgets} == kept
    assert [("all of them do: give them the label" in each) for each in inventory.warnings] == [True] * told


BOOKED = {"kind": "Cluster", "workers": [{"name": "x"}], "bookings": [
    {"workload": "web", "replica": number, "worker": "x"} for number in (0, 0, 1, 2)]}  # fmt: skip


def test_a_label_may_name_a_workload_of_other_bookings():
    assert budgets(BOOKED, budget(maxUnavailable="50%")) == {"web": 1}
    assert budgets(BOOKED, budget(selector={"matchLabels": {"app": "db"}}, minAvailable=1)) == {}


def test_the_strictest_of_several_counts():
    own = {**BOOKED, "budgets": [{"workload": "web", "minAvailable": 2}, {"workload": "db", "minAvailable": 1}]}

    assert budgets(own, budget(minAvailable=1), budget(minAvailable=3)) == {"web": 3, "db": 1}
    assert budgets(own, budget(minAvailable=1)) == {"web": 2, "db": 1}


def test_no_limit_is_told():
    (warning,) = read(node(gpu="8"), budget()).warnings

    assert warning.endswith("spec: 'keep' sets no limit and protects no Pod")


REFUSED = {
    "two limits": (budget(minAvailable=1, maxUnavailable=1), "[0].spec.maxUnavailable: two limits"),
    "a fraction": (budget(minAvailable=1.5), "[0].spec.minAvailable"),
    "less than nothing": (budget(maxUnavailable=-1), "[0].spec.maxUnavailable"),
    "more than all": (budget(maxUnavailable="101%"), "[0].spec.maxUnavailable"),
    "a list": (budget(minAvailable=[1]), "[0].spec.minAvailable"),
    "no selector": (budget(selector="app=web", minAvailable=1), "[0].spec.selector"),
    "no operator": (
        budget(selector={"matchExpressions": [{"key": "a", "operator": "Is"}]}, minAvailable=1),
        "[0].spec.selector.matchExpressions[0].operator"),
    "no key": (
        budget(selector={"matchExpressions": [{"operator": "Exists"}]}, minAvailable=1),
        "[0].spec.selector.matchExpressions[0].key"),
    "no name": (budget(name="", minAvailable=1), "[0].metadata.name"),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "place"), REFUSED.values(), ids=REFUSED)
def test_refused(wrong, place):
    with pytest.raises(InputError) as caught:
        read(wrong)

    assert place in str(caught.value)


def test_whoever_is_kept_is_not_pushed_aside():
    pods = [pod(name, labels={GROUP: "g", "app": "web"}, gpu="1") for name in ("a", "b")]
    urgent = {"metadata": {"name": "urgent"}, "spec": {
        "gpus": {"count": 1}, "priority": 9, "preemption": "lower-priority"}}  # fmt: skip

    def verdict(*others):
        return bayplan.plan(urgent, bayplan.read_cluster([node(gpu="2"), *pods, *others]))["verdict"]

    assert (verdict(), verdict(budget(minAvailable=1))) == ("fits", "waiting")

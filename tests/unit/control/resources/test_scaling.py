"""The Scale document of each kind that can be scaled."""

from bayplan.control.resources.kinds import KINDS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.scaling import scale_of, scale_paths, selector_text, with_scale


def test_kinds_that_can_be_scaled():
    assert {each.full_name for each in KINDS if scale_paths(each)} == {
        "deployments.apps",
        "replicasets.apps",
        "statefulsets.apps",
        "workloads.bayplan.io",
        "agentpools.neuronetes.io",
        "models.mlops.seldon.io",
        "servers.mlops.seldon.io",
    }


def test_a_deployment():
    deployment = {
        "metadata": {"name": "d", "namespace": "n", "resourceVersion": "5", "labels": {"a": "b"}},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "x"}}},
        "status": {"replicas": 2},
    }
    scale = scale_of(REGISTRY.resolve("deploy"), deployment)

    assert scale["metadata"] == {"name": "d", "namespace": "n", "resourceVersion": "5"}
    assert scale["spec"] == {"replicas": 3}
    assert scale["status"] == {"replicas": 2, "selector": "app=x"}


def test_a_pool_without_replicas_has_its_minimum():
    pool = {"metadata": {"name": "p"}, "spec": {"minReplicas": "4"}, "status": {"replicas": 1, "selector": "pool=p"}}
    scale = scale_of(REGISTRY.resolve("ap"), pool)

    assert scale["spec"] == {"replicas": 4}
    assert scale["status"] == {"replicas": 1, "selector": "pool=p"}


def test_scaling_changes_a_copy():
    pool = {"spec": {"minReplicas": 1}}

    assert with_scale(REGISTRY.resolve("ap"), pool, 7)["spec"] == {"minReplicas": 1, "replicas": 7}
    assert pool == {"spec": {"minReplicas": 1}}


def test_selectors_as_text():
    expressions = [
        {"key": "a", "operator": "In", "values": ["b", "c"]},
        {"key": "d", "operator": "NotIn", "values": ["e"]},
        {"key": "f", "operator": "Exists"},
        {"key": "g", "operator": "DoesNotExist"},
    ]

    assert selector_text({"matchExpressions": expressions}) == "a in (b,c),d notin (e),f,!g"
    assert selector_text(None) == ""

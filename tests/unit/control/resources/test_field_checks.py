"""Unknown fields, wrong types and missing fields of documents."""

import pytest

from bayplan.control.resources.field_checks import (
    MOST_FOUND,
    MOST_ITEMS,
    NOT_SUPPORTED,
    TOO_MANY,
    WRONG_TYPE,
    check_shape,
    missing_fields,
    unknown_fields,
    wrong_types,
)
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.schema import shape_named

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"app": "x"}, "creationTimestamp": None},
    "spec": {
        "schedulerName": "bayplan",
        "containers": [
            {
                "name": "c",
                "image": "i",
                "resources": {"limits": {"nvidia.com/gpu": 1, "memory": "4Gi", "cpu": "500m"}},
                "ports": [{"containerPort": 80}],
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
    },
    "status": {"phase": "Pending", "startTime": "2026-01-31T12:00:00Z"},
}


def pod(**spec):
    return {**POD, "spec": {**POD["spec"], **spec}}


def of(name):
    return REGISTRY.resolve(name)


def test_a_good_pod_has_no_findings():
    assert unknown_fields(of("pods"), POD) == []
    assert wrong_types(of("pods"), POD) == []
    assert missing_fields(of("pods"), POD) == []


UNKNOWN = {
    "top": ({**POD, "extra": 1}, "extra"),
    "spec": (pod(nodename="n"), "spec.nodename"),
    "in a list": (pod(containers=[{"name": "c"}, {"name": "d", "imagee": "i"}]), "spec.containers[1].imagee"),
    "metadata": ({**POD, "metadata": {"label": {}}}, "metadata.label"),
}


@pytest.mark.parametrize(("document", "path"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_fields_have_paths(document, path):
    assert unknown_fields(of("pods"), document) == [path]


WRONG = {
    "text for a list": (pod(containers="c"), "spec.containers", WRONG_TYPE),
    "number for a text": (pod(nodeName=5), "spec.nodeName", WRONG_TYPE),
    "truth for a number": (pod(priority=True), "spec.priority", WRONG_TYPE),
    "number too large": (pod(priority=1 << 31), "spec.priority", WRONG_TYPE),
    "fraction for a whole number": (pod(priority=1.5), "spec.priority", WRONG_TYPE),
    "no quantity": (pod(overhead={"cpu": "much"}), "spec.overhead.cpu", WRONG_TYPE),
    "label that is no text": ({**POD, "metadata": {"labels": {"a": 1}}}, "metadata.labels.a", WRONG_TYPE),
    "no time": ({**POD, "metadata": {"creationTimestamp": "today"}}, "metadata.creationTimestamp", WRONG_TYPE),
    "value not listed": (pod(restartPolicy="Sometimes"), "spec.restartPolicy", NOT_SUPPORTED),
    "list for an object": ({**POD, "spec": []}, "spec", WRONG_TYPE),
}


@pytest.mark.parametrize(("document", "path", "reason"), WRONG.values(), ids=WRONG)
def test_wrong_values_have_a_path_and_a_reason(document, path, reason):
    [cause] = wrong_types(of("pods"), document)

    assert (cause.path, cause.reason) == (path, reason)


def test_an_error_does_not_repeat_a_large_value():
    [cause] = wrong_types(of("pods"), pod(priority="x" * 1000))

    assert len(cause.message) < 150


def test_secrets_are_base64():
    secret = {"metadata": {"name": "s"}, "data": {"a": "b2s="}}

    assert wrong_types(of("secrets"), secret) == []
    assert [each.path for each in wrong_types(of("secrets"), {**secret, "data": {"a": "?"}})] == ["data.a"]


def test_dialects_accept_numbers_as_text():
    pool = {
        "metadata": {"name": "p"},
        "spec": {"minReplicas": "2", "gpuRequirements": {"count": "4", "memory": 40}, "mistake": 1},
    }

    assert wrong_types(of("ap"), pool) == []
    assert unknown_fields(of("ap"), pool) == ["spec.mistake"]
    assert [each.path for each in wrong_types(of("ap"), {"spec": {"gpuRequirements": 3}})] == ["spec.gpuRequirements"]


def test_a_required_field_is_missed():
    deployment = {"spec": {"template": {"spec": {"containers": [{"image": "i"}]}}}}
    paths = [each.path for each in missing_fields(of("deploy"), deployment)]

    assert paths == ["spec.selector", "spec.template.spec.containers[0].name"]


def test_findings_are_bounded():
    document = {**POD, **{f"x{number}": 1 for number in range(10_000)}}

    assert len(unknown_fields(of("pods"), document)) == MOST_FOUND


def test_objects_in_a_list_are_bounded():
    fits, too_many = ({"name": "c"} for _ in range(MOST_ITEMS)), ({"name": "c"} for _ in range(MOST_ITEMS + 1))

    assert wrong_types(of("pods"), pod(containers=list(fits))) == []
    (cause,) = wrong_types(of("pods"), pod(containers=list(too_many)))
    assert (cause.path, cause.reason) == ("spec.containers", TOO_MANY)


def test_documents_of_subresources_are_checked_by_their_own_shape():
    binding = {"metadata": {"name": "p"}, "target": {"name": "n"}, "node": 1}

    assert check_shape(shape_named("Binding"), binding).unknown == ["node"]


def test_selectors_of_workloads_compare_numbers():
    requirement = {"key": "gpu-memory", "operator": "Gt", "values": [40]}
    workload = {"spec": {"selector": {"matchExpressions": [requirement]}}}

    assert wrong_types(of("wl"), workload) == []
    assert unknown_fields(of("wl"), workload) == []

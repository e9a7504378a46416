"""Tables show what kubectl shows."""

from datetime import UTC, datetime

import pytest

from bayplan.control.resources.kinds import KINDS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.tables import columns_of, rows, table

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
META = {"name": "x", "namespace": "n", "creationTimestamp": "2026-01-01T11:55:00Z"}


def shown(name, document, *, wide=False):
    resource = REGISTRY.resolve(name)
    [cells] = rows(resource, [{"metadata": META, **document}], NOW, wide=wide)
    return {column.name: cell for column, cell in zip(columns_of(resource, wide=wide), cells, strict=True)}


HEADS = {
    "pods": "Name Ready Status Restarts Age",
    "nodes": "Name Status Roles Age Version",
    "deploy": "Name Ready Up-to-date Available Age",
    "rs": "Name Desired Current Ready Age",
    "sts": "Name Ready Age",
    "jobs": "Name Status Completions Duration Age",
    "ns": "Name Status Age",
    "svc": "Name Type Cluster-IP External-IP Port(s) Age",
    "leases": "Name Holder Age",
}


@pytest.mark.parametrize(("name", "heads"), HEADS.items(), ids=HEADS)
def test_columns_of_kubernetes(name, heads):
    assert [each.name for each in columns_of(REGISTRY.resolve(name), wide=False)] == heads.split()


def test_a_pod():
    pod = {"spec": {"containers": [{"name": "c"}], "nodeName": "w"}, "status": {"phase": "Pending"}}

    assert shown("pods", pod) == {"Name": "x", "Ready": "0/1", "Status": "Pending", "Restarts": "0", "Age": "5m"}
    assert shown("pods", pod, wide=True)["Node"] == "w"
    assert shown("pods", pod, wide=True)["IP"] == "<none>"


def test_a_node():
    node = {
        "metadata": {**META, "labels": {"node-role.kubernetes.io/gpu": "", "kubernetes.io/role": "big"}},
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1.34.0"},
        },
    }
    cells = shown("nodes", node, wide=True)

    assert (cells["Status"], cells["Roles"], cells["Version"]) == ("Ready,SchedulingDisabled", "big,gpu", "v1.34.0")
    assert (cells["Internal-IP"], cells["External-IP"]) == ("10.0.0.1", "<none>")
    assert shown("nodes", {})["Status"] == "Unknown"


def test_a_deployment():
    deployment = {
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
        "status": {"readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
    }
    cells = shown("deploy", deployment, wide=True)

    assert (cells["Ready"], cells["Up-to-date"], cells["Available"]) == ("2/3", 3, 1)
    assert (cells["Containers"], cells["Images"], cells["Selector"]) == ("c", "i", "a=b")


def test_a_job():
    job = {"spec": {"completions": 2}, "status": {"succeeded": 1, "startTime": "2026-01-01T11:58:30Z"}}
    cells = shown("jobs", job)

    assert (cells["Status"], cells["Completions"], cells["Duration"]) == ("Running", "1/2", "90s")


def test_an_event():
    event = {
        "involvedObject": {"kind": "Pod", "name": "p"},
        "type": "Warning",
        "reason": "FailedScheduling",
        "message": "no GPU \n",
        "lastTimestamp": "2026-01-01T11:59:30Z",
    }

    assert shown("events", event) == {
        "Last Seen": "30s",
        "Type": "Warning",
        "Reason": "FailedScheduling",
        "Object": "pod/p",
        "Message": "no GPU",
    }


def test_an_event_of_the_newer_group():
    event = {"regarding": {"kind": "Pod", "name": "p"}, "note": "placed", "eventTime": "2026-01-01T11:59:30.000000Z"}
    cells = shown("events", event)

    assert (cells["Last Seen"], cells["Object"], cells["Message"]) == ("30s", "pod/p", "placed")


def test_a_service():
    service = {
        "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}, {"port": 53, "protocol": "UDP"}]}
    }
    cells = shown("svc", service)

    assert (cells["Port(s)"], cells["External-IP"]) == ("80:30080/TCP,53/UDP", "<none>")


def test_a_pool():
    pool = {
        "spec": {"minReplicas": 2, "agentClassRef": {"name": "chat"}, "gpuRequirements": {"count": 4, "type": "H100"}},
        "status": {"readyReplicas": 1, "phase": "Scaling"},
    }
    cells = shown("ap", pool)

    assert (cells["Class"], cells["Replicas"], cells["Ready"]) == ("chat", 2, 1)
    assert (cells["GPUs"], cells["GPU Model"], cells["Phase"]) == ("4", "H100", "Scaling")
    assert shown("ap", {"spec": {"migProfile": "1g.5gb"}})["GPUs"] == "1 x 1g.5gb"


def test_secrets_show_numbers_and_no_values():
    assert shown("secrets", {"type": "Opaque", "data": {"a": "c2VjcmV0"}}) == {
        "Name": "x", "Type": "Opaque", "Data": 1, "Age": "5m"
    }  # fmt: skip


def test_kinds_without_support_say_so():
    assert shown("mlp", {})["Supported"] == "Unsupported"


def test_a_table_document():
    document = {"metadata": META, "spec": {}}
    made = table(REGISTRY.resolve("pods"), [document], NOW, metadata={"resourceVersion": "7"})

    assert (made["kind"], made["apiVersion"], made["metadata"]) == ("Table", "meta.k8s.io/v1", {"resourceVersion": "7"})
    assert made["columnDefinitions"][0] | {"description": ""} == {
        "name": "Name", "type": "string", "format": "name", "description": "", "priority": 0
    }  # fmt: skip
    assert {each["name"]: each["priority"] for each in made["columnDefinitions"]}["Node"] == 1
    assert made["rows"][0]["object"] == {
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": META
    }  # fmt: skip


def test_what_a_row_includes():
    document = {"metadata": META, "spec": {}}

    assert "object" not in table(REGISTRY.resolve("pods"), [document], NOW, include="None")["rows"][0]
    assert table(REGISTRY.resolve("pods"), [document], NOW, include="Object")["rows"][0]["object"] == document


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.full_name)
@pytest.mark.parametrize("document", [{}, {"metadata": None}, {"spec": [], "status": 1}, {"spec": {"selector": []}}])
def test_no_document_is_too_odd_for_a_table(kind, document):
    table(kind, [document], NOW)

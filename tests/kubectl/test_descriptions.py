"""kubectl describe, events and logs."""

from kubectl.client import Kubectl
from kubectl.manifests import deployment, node, pod, pool

EVENT = """
apiVersion: v1
kind: Event
metadata: {{name: a.1}}
involvedObject: {{apiVersion: v1, kind: Pod, name: a, namespace: {namespace}, uid: {uid}}}
reason: FailedScheduling
message: no worker has a free GPU
type: Warning
count: 3
firstTimestamp: 2026-01-01T00:00:00Z
lastTimestamp: 2026-01-01T00:10:00Z
source: {{component: bayplan}}
"""


def with_event(kubectl: Kubectl) -> None:
    kubectl.apply(pod())
    kubectl.apply(EVENT.format(namespace=kubectl.namespace, uid=kubectl.value("pod", "a", ".metadata.uid")))


def test_describe_a_pod_with_its_events(kubectl: Kubectl) -> None:
    with_event(kubectl)

    out = kubectl("describe", "pod", "a").out

    assert ["Status:", "Pending"] in [line.split() for line in out.splitlines()]
    assert "nvidia.com/gpu:  1" in out
    assert "no worker has a free GPU" in out


def test_describe_a_node_with_its_pods(kubectl: Kubectl) -> None:
    kubectl.apply(node("described-worker"))
    kubectl.apply(pod("lodger", more="  nodeName: described-worker"))

    out = kubectl("describe", "node", "described-worker").out

    assert "nvidia.com/gpu:" in out
    assert "KubeletReady" in out
    assert f"{kubectl.namespace}  " in out
    assert "lodger" in out


def test_describe_a_deployment(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    out = kubectl("describe", "deployment", "web").out

    assert "Selector:               app=web" in out
    assert "2 desired" in out
    assert "nginx:1" in out


def test_describe_a_pool(kubectl: Kubectl) -> None:
    kubectl.apply(pool())

    out = kubectl("describe", "ap", "chat").out

    assert "API Version:  neuronetes.io/v1alpha1" in out
    assert "Max Replicas:  5" in out


def test_events(kubectl: Kubectl) -> None:
    with_event(kubectl)

    assert "no worker has a free GPU" in kubectl("events").out
    assert "FailedScheduling" in kubectl("events", "--for", "pod/a").out
    assert kubectl("events", "--types=Normal").out == ""


def test_get_events_under_both_groups(kubectl: Kubectl) -> None:
    with_event(kubectl)

    assert kubectl("get", "events", "--no-headers", "--field-selector=involvedObject.name=a").rows[0][1:4] == [
        "Warning",
        "FailedScheduling",
        "pod/a",
    ]
    assert kubectl.value("events.events.k8s.io", "a.1", ".note") == "no worker has a free GPU"


def test_logs_of_a_pod_that_waits(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    err = kubectl("logs", "a", code=1).err

    assert 'container "main" in pod "a" is waiting to start' in err


def test_logs_of_a_container_that_does_not_exist(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    assert "container other is not valid for pod a" in kubectl("logs", "a", "-c", "other", code=1).err

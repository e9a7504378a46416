"""What a program with the client `lightkube` does; run by its own Python with a kubeconfig.

It prints a JSON object: for each scenario an empty text, or the traceback of what went wrong.
"""

import json
import sys
import traceback

from lightkube import ApiError, Client, KubeConfig
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.core_v1 import Container, NodeSpec, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Namespace, Node, Pod
from lightkube.types import PatchType

NAMESPACE = "light"
AgentPool = create_namespaced_resource("neuronetes.io", "v1alpha1", "AgentPool", "agentpools")


def pod(name, **labels):
    spec = PodSpec(
        containers=[Container("main", image="busybox:1")], schedulerName="another"
    )  # no loop touches its Pods
    return Pod(metadata=ObjectMeta(name=name, namespace=NAMESPACE, labels=labels), spec=spec)


def refused(code, call, *given, **named):
    """The status of a call, which must be refused with this code."""
    try:
        call(*given, **named)
    except ApiError as error:
        status = error.status
    else:
        raise AssertionError(f"{call} was not refused")
    assert status.code == code, status
    return status


def pods(client):
    made = client.create(pod("one", app="a"))
    assert made.metadata.uid
    client.create(pod("two", app="b"))
    assert [each.metadata.name for each in client.list(Pod, labels={"app": "a"})] == ["one"]
    change = {"metadata": {"labels": {"tier": "x"}}}
    assert client.patch(Pod, "one", change).metadata.labels["tier"] == "x"
    operations = [{"op": "remove", "path": "/metadata/labels/tier"}]
    assert "tier" not in client.patch(Pod, "one", operations, patch_type=PatchType.JSON).metadata.labels
    refused(409, client.replace, _with_revision(pod("one"), made.metadata.resourceVersion))
    assert [each.metadata.name for each in client.list(Pod, chunk_size=1)] == ["one", "two"]
    client.delete(Pod, "one", grace_period=0)
    client.delete(Pod, "two", grace_period=0)
    assert list(client.list(Pod)) == []


def _with_revision(document, revision):
    document.metadata.resourceVersion = revision
    return document


def nodes(client):
    client.create(Node(metadata=ObjectMeta(name="light-node", labels={"zone": "b"}), spec=NodeSpec()))
    assert client.patch(Node, "light-node", {"spec": {"unschedulable": True}}).spec.unschedulable is True
    assert [each.metadata.name for each in client.list(Node, labels={"zone": "b"})] == ["light-node"]
    client.delete(Node, "light-node")
    refused(404, client.get, Node, "light-node")


def deployments(client):
    labels = {"app": "web"}
    template = PodTemplateSpec(ObjectMeta(labels=labels), PodSpec([Container("web", image="nginx:1")]))
    spec = DeploymentSpec(LabelSelector(matchLabels=labels), template, replicas=2)
    client.create(Deployment(metadata=ObjectMeta(name="web", namespace=NAMESPACE), spec=spec))
    assert client.patch(Deployment, "web", {"spec": {"replicas": 3}}).spec.replicas == 3
    scale = client.get(Deployment.Scale, "web")
    assert scale.spec.replicas == 3
    scale.spec.replicas = 4
    scale.metadata.resourceVersion = None  # the controllers write to the Deployment, too
    client.replace(scale, "web")
    assert next(iter(client.list(Deployment))).spec.replicas == 4
    client.delete(Deployment, "web")
    refused(404, client.get, Deployment, "web")


def agent_pools(client):
    spec = {"agentClassRef": {"name": "chat"}, "minReplicas": 1, "maxReplicas": 4}
    client.create(AgentPool(metadata=ObjectMeta(name="chat", namespace=NAMESPACE), spec=spec))
    patched = client.patch(AgentPool, "chat", {"spec": {"maxReplicas": 8}}, patch_type=PatchType.MERGE)
    assert (patched.spec["minReplicas"], patched.spec["maxReplicas"]) == (1, 8)
    assert [each.metadata.name for each in client.list(AgentPool)] == ["chat"]
    client.delete(AgentPool, "chat")
    refused(404, client.get, AgentPool, "chat")


def applied(client):
    wanted = AgentPool(metadata=ObjectMeta(name="applied", namespace=NAMESPACE), spec={"minReplicas": 1})
    assert client.apply(wanted, field_manager="one").spec["minReplicas"] == 1
    other = AgentPool(metadata=ObjectMeta(name="applied", namespace=NAMESPACE), spec={"minReplicas": 2})
    status = refused(409, client.apply, other, field_manager="two")
    assert "one" in status.message, status
    assert client.apply(other, field_manager="two", force=True).spec["minReplicas"] == 2
    client.delete(AgentPool, "applied")


def resumed_watch(client):
    start = client.create(pod("w0", watch="yes")).metadata.resourceVersion
    for name in ("w1", "w2", "w3"):
        client.create(pod(name, watch="yes"))
    first = _seen(2, client, start)
    assert [(kind, each.metadata.name) for kind, each in first] == [("ADDED", "w1"), ("ADDED", "w2")]
    client.delete(Pod, "w1", grace_period=0)
    rest = _seen(2, client, first[-1][1].metadata.resourceVersion)
    assert [each.metadata.name for _, each in rest] == ["w3", "w1"]
    for name in ("w0", "w2", "w3"):
        client.delete(Pod, name, grace_period=0)


OWN = {"watch": "yes"}  # controllers make other Pods


def _seen(number, client, revision):
    events = []
    for kind, each in client.watch(Pod, labels=OWN, resource_version=revision, server_timeout=20):
        events.append((kind, each))
        if len(events) == number:
            break
    assert len(events) == number, events
    return events


def refusals(client):
    assert refused(404, client.get, Pod, "absent").reason == "NotFound"
    client.create(pod("twice"))
    assert refused(409, client.create, pod("twice")).reason == "AlreadyExists"
    status = refused(422, client.create, pod("wrong", app="no label value!"))
    assert status.details.causes[0].field == "metadata.labels", status
    client.delete(Pod, "twice", grace_period=0)


SCENARIOS = {
    "pods": pods,
    "nodes": nodes,
    "deployments": deployments,
    "agent pools": agent_pools,
    "server-side apply": applied,
    "a watch that is resumed": resumed_watch,
    "refusals": refusals,
}


def main():
    client = Client(config=KubeConfig.from_file(sys.argv[1]), namespace=NAMESPACE)
    client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    outcome = {}
    for name, scenario in SCENARIOS.items():
        try:
            scenario(client)
            outcome[name] = ""
        except Exception:
            outcome[name] = traceback.format_exc()
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main()

"""What a program with the official `kubernetes` client does; run by its own Python with a kubeconfig.

It prints a JSON object: for each scenario an empty text, or the traceback of what went wrong.
"""

import json
import sys
import traceback

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "official"
GROUP, VERSION, POOLS = "neuronetes.io", "v1alpha1", "agentpools"


def pod(name, **labels):
    container = {"name": "main", "image": "busybox:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {"schedulerName": "another", "containers": [container]}  # no loop touches its Pods
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


def refused(code, call, *given, **named):
    """The error of a call, which must have this code."""
    try:
        call(*given, **named)
    except ApiException as error:
        body = json.loads(error.body)
    else:
        raise AssertionError(f"{call} was not refused")
    assert (body["kind"], body["code"]) == ("Status", code), body
    return body


def pods():
    api = client.CoreV1Api()
    made = api.create_namespaced_pod(NAMESPACE, pod("one", app="a"))
    assert made.metadata.uid
    assert made.status.phase == "Pending"
    api.create_namespaced_pod(NAMESPACE, pod("two", app="b"))
    chosen = api.list_namespaced_pod(NAMESPACE, label_selector="app=a")
    assert [each.metadata.name for each in chosen.items] == ["one"]
    patched = api.patch_namespaced_pod("one", NAMESPACE, {"metadata": {"labels": {"tier": "x"}}})
    assert patched.metadata.labels == {"app": "a", "tier": "x"}
    patched.metadata.annotations = {"note": "replaced"}
    replaced = api.replace_namespaced_pod("one", NAMESPACE, patched)
    assert replaced.metadata.annotations["note"] == "replaced"
    body = refused(409, api.replace_namespaced_pod, "one", NAMESPACE, patched)
    assert body["reason"] == "Conflict", body
    listed = api.list_namespaced_pod(NAMESPACE, limit=1)
    rest = api.list_namespaced_pod(NAMESPACE, limit=1, _continue=listed.metadata._continue)
    assert [each.metadata.name for each in (*listed.items, *rest.items)] == ["one", "two"]
    api.delete_namespaced_pod("one", NAMESPACE, grace_period_seconds=0)
    refused(404, api.read_namespaced_pod, "one", NAMESPACE)
    api.delete_collection_namespaced_pod(NAMESPACE, label_selector="app=b", grace_period_seconds=0)
    assert api.list_namespaced_pod(NAMESPACE).items == []


def nodes():
    api = client.CoreV1Api()
    amounts = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"}
    node = client.V1Node(
        metadata=client.V1ObjectMeta(name="official-node", labels={"zone": "a"}),
        status=client.V1NodeStatus(capacity=amounts, allocatable=amounts),
    )
    api.create_node(node)
    patched = api.patch_node("official-node", {"spec": {"unschedulable": True}})
    assert patched.spec.unschedulable is True
    condition = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}
    status = api.patch_node_status("official-node", {"status": {"conditions": [condition]}})
    assert status.status.conditions[0].type == "Ready"
    assert "official-node" in [each.metadata.name for each in api.list_node(label_selector="zone=a").items]
    api.delete_node("official-node")
    refused(404, api.read_node, "official-node")


def deployments():
    api = client.AppsV1Api()
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx:1"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    api.create_namespaced_deployment(NAMESPACE, {"metadata": {"name": "web"}, "spec": spec})
    change = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}}}
    patched = api.patch_namespaced_deployment("web", NAMESPACE, change)
    assert patched.spec.template.spec.containers[0].image == "nginx:2"
    assert patched.metadata.generation == 2
    scale = api.read_namespaced_deployment_scale("web", NAMESPACE)
    assert scale.spec.replicas == 2
    api.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 5}})
    assert api.list_namespaced_deployment(NAMESPACE).items[0].spec.replicas == 5
    api.delete_namespaced_deployment("web", NAMESPACE)
    refused(404, api.read_namespaced_deployment, "web", NAMESPACE)


def agent_pools():
    api = client.CustomObjectsApi()
    where = (GROUP, VERSION, NAMESPACE, POOLS)
    spec = {"agentClassRef": {"name": "chat"}, "minReplicas": 1, "maxReplicas": 4}
    pool = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "AgentPool", "metadata": {"name": "chat"}, "spec": spec}
    made = api.create_namespaced_custom_object(*where, pool)
    patched = api.patch_namespaced_custom_object(*where, "chat", {"spec": {"maxReplicas": 8}})
    assert patched["spec"]["maxReplicas"] == 8
    assert patched["spec"]["minReplicas"] == 1
    listed = api.list_namespaced_custom_object(*where)
    assert [each["metadata"]["name"] for each in listed["items"]] == ["chat"]
    seen = _seen(1, api.list_namespaced_custom_object, *where, resource_version=made["metadata"]["resourceVersion"])
    assert seen[0]["type"] == "MODIFIED", seen
    api.delete_namespaced_custom_object(*where, "chat")
    refused(404, api.get_namespaced_custom_object, *where, "chat")


def _seen(number, call, *given, **named):
    """The first events of a watch."""
    events, watching = [], watch.Watch()
    for event in watching.stream(call, *given, timeout_seconds=20, **named):
        events.append(event)
        if len(events) == number:
            watching.stop()
    assert len(events) == number, events
    return events


def resumed_watch():
    api = client.CoreV1Api()
    start = api.list_namespaced_pod(NAMESPACE).metadata.resource_version
    for name in ("w1", "w2", "w3"):
        api.create_namespaced_pod(NAMESPACE, pod(name, watch="yes"))
    api.delete_namespaced_pod("w1", NAMESPACE, grace_period_seconds=0)
    own = {"label_selector": "watch=yes"}  # controllers make other Pods
    first = _seen(2, api.list_namespaced_pod, NAMESPACE, resource_version=start, **own)
    assert [(each["type"], each["object"].metadata.name) for each in first] == [("ADDED", "w1"), ("ADDED", "w2")]
    last = first[-1]["object"].metadata.resource_version
    rest = _seen(2, api.list_namespaced_pod, NAMESPACE, resource_version=last, **own)
    assert rest[0]["object"].metadata.name == "w3"
    assert rest[1]["object"].metadata.name == "w1"
    assert rest[1]["type"] in ("MODIFIED", "DELETED")
    api.delete_collection_namespaced_pod(NAMESPACE, grace_period_seconds=0)


def refusals():
    api = client.CoreV1Api()
    assert refused(404, api.read_namespaced_pod, "absent", NAMESPACE)["reason"] == "NotFound"
    api.create_namespaced_pod(NAMESPACE, pod("twice"))
    assert refused(409, api.create_namespaced_pod, NAMESPACE, pod("twice"))["reason"] == "AlreadyExists"
    body = refused(422, api.create_namespaced_pod, NAMESPACE, pod("wrong", app="no label value!"))
    assert body["reason"] == "Invalid", body
    assert body["details"]["causes"][0]["field"] == "metadata.labels", body
    api.delete_namespaced_pod("twice", NAMESPACE, grace_period_seconds=0)


SCENARIOS = {
    "pods": pods,
    "nodes": nodes,
    "deployments": deployments,
    "agent pools": agent_pools,
    "a watch that is resumed": resumed_watch,
    "refusals": refusals,
}


def main():
    config.load_kube_config(sys.argv[1])
    client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    outcome = {}
    for name, scenario in SCENARIOS.items():
        try:
            scenario()
            outcome[name] = ""
        except Exception:
            outcome[name] = traceback.format_exc()
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main()

"""The objects that users of the crash test ask for, and how each kind is scaled.

Every object has a mark, which changes with every write: from the marks one sees which writes a store has kept.
"""

MARK = "crash.test/mark"
NAMESPACE = "default"
BAYPLAN, NEURONETES = "bayplan.io/v1alpha1", "neuronetes.io/v1alpha1"
GROUPS = "scheduling.x-k8s.io/v1alpha1"
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"
CARDS = (1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8)
"""How many cards each worker has."""

PATHS = {
    "Node": "/api/v1/nodes",
    "Cluster": f"/apis/{BAYPLAN}/clusters",
    "Pod": f"/api/v1/namespaces/{NAMESPACE}/pods",
    "Workload": f"/apis/{BAYPLAN}/namespaces/{NAMESPACE}/workloads",
    "AgentPool": f"/apis/{NEURONETES}/namespaces/{NAMESPACE}/agentpools",
    "AgentClass": f"/apis/{NEURONETES}/namespaces/{NAMESPACE}/agentclasses",
    "PodGroup": f"/apis/{GROUPS}/namespaces/{NAMESPACE}/podgroups",
    "Deployment": f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments",
    "StatefulSet": f"/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets",
    "Job": f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs",
}
REPLICAS = {"Workload": "replicas", "AgentPool": "minReplicas", "Deployment": "replicas", "StatefulSet": "replicas"}
"""Kinds that can be scaled, and the field that says how many replicas they want."""


def replicas_of(document):
    """How many Pods an object wants; None where it wants no certain number."""
    field = REPLICAS.get(document["kind"])
    return None if field is None else document["spec"][field]


def _object(api, kind, name, mark, **parts):
    metadata = {"name": name, "annotations": {MARK: mark}, **parts.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **parts}


def cluster():
    gpus = {"model": "A100-SXM4-80GB", "memory": "80Gi"}
    workers = [
        {
            "name": f"w{number}", "cpu": 64, "ram": "512Gi", "gpus": {"count": cards, **gpus},
            "labels": {"bayplan.io/runtime": "simulated"},
        }
        for number, cards in enumerate(CARDS)
    ]  # fmt: skip
    return _object(BAYPLAN, "Cluster", "crash", "0", workers=workers)


def agent_class():
    return _object(NEURONETES, "AgentClass", "class", "0", spec={"modelRef": {"name": "m"}})


def workload(name, mark, *, replicas, gpus=1, priority=0, gang=False, preempts=False, spans=False):
    spec = {"replicas": replicas, "gpus": {"count": gpus}, "priority": priority}
    spec |= {"distributed": True} if spans else {}
    spec |= {"gang": {}} if gang else {}
    spec |= {"preemption": "lower-priority"} if preempts else {}
    return _object(BAYPLAN, "Workload", name, mark, spec=spec)


def agent_pool(name, mark, *, replicas, gang=False):
    scheduling = {"gangScheduling": {"enabled": True, "minMembers": replicas}} if gang else {"priority": 3}
    spec = {
        "agentClassRef": {"name": "class"}, "minReplicas": replicas, "maxReplicas": 12,
        "gpuRequirements": {"count": 1}, "scheduling": scheduling,
    }  # fmt: skip
    return _object(NEURONETES, "AgentPool", name, mark, spec=spec)


def _pod_spec(gpus, **others):
    limits = {"nvidia.com/gpu": str(gpus), "cpu": "1"}
    container = {"name": "c", "image": "i", "resources": {"limits": limits}}
    return {"schedulerName": "bayplan", "containers": [container], **others}


def pod(name, mark, *, gpus=1, group="", ends=False):
    labels = {GROUP_LABEL: group} if group else {}
    spec = _pod_spec(gpus, restartPolicy="Never" if ends else "Always")
    return _object("v1", "Pod", name, mark, metadata={"labels": labels}, spec=spec)


def pod_group(name, mark, least):
    return _object(GROUPS, "PodGroup", name, mark, spec={"minMember": least})


def deployment(name, mark, *, replicas, gpus=1):
    return _templated("apps/v1", "Deployment", name, mark, replicas, gpus)


def stateful_set(name, mark, *, replicas, gpus=1):
    made = _templated("apps/v1", "StatefulSet", name, mark, replicas, gpus)
    made["spec"] |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    return made


def _templated(api, kind, name, mark, replicas, gpus):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": _pod_spec(gpus)}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return _object(api, kind, name, mark, spec=spec)


def job(name, mark, *, parallelism, completions):
    template = {"spec": _pod_spec(1, restartPolicy="Never")}
    spec = {"parallelism": parallelism, "completions": completions, "template": template}
    return _object("batch/v1", "Job", name, mark, spec=spec)

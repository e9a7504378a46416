"""Objects for the tests of the API."""

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def pod(name="p", *, labels=None, ready=None, **spec):
    """A Pod with one container; `ready` gives it that condition."""
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [{"name": "c", "image": "i:1"}], **spec},
    }
    if ready is not None:
        document["status"] = {"conditions": [{"type": "Ready", "status": str(ready)}]}
    return document


def gpu_pod(name="p", cards=1):
    resources = {"limits": {"nvidia.com/gpu": str(cards)}}
    containers = [{"name": "c", "image": "i:1", "resources": resources}]
    return pod(name, schedulerName="bayplan") | {"spec": {"schedulerName": "bayplan", "containers": containers}}


def node(name="n", cards=8):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}},
        "status": {
            "capacity": {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": str(cards)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def deployment(name="d", replicas=2):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


async def post(api, url, *documents):
    """Create objects; the answers' documents."""
    answers = [await api.ask("POST", url, each) for each in documents]
    assert [each.status for each in answers] == [201] * len(answers), answers[-1].body
    return [each.json for each in answers]

"""Commands that wait for controllers: rollout, wait, scale; the tests start the Pods themselves."""

import itertools
import json
import time
from collections.abc import Callable

import pytest

from bayplan_up import RunningServer
from kubectl.client import Kubectl
from kubectl.manifests import deployment, pool

_LONGEST_S = 60


def eventually(question: Callable[[], bool]) -> None:
    """Ask until the answer is yes."""
    end = time.monotonic() + _LONGEST_S
    for pause_s in itertools.chain((0.05,) * 20, itertools.repeat(0.3)):
        if question():
            return
        assert time.monotonic() < end
        time.sleep(pause_s)


def pods(kubectl: Kubectl) -> list[str]:
    """The Pods that are not being deleted."""
    items = json.loads(kubectl("get", "pods", "-o", "json").out)["items"]
    return [each["metadata"]["name"] for each in items if "deletionTimestamp" not in each["metadata"]]


class Runtime:
    """Says of all Pods of a namespace what a worker would say."""

    def __init__(self, kubectl: Kubectl, server: RunningServer) -> None:
        self._kubectl, self._server = kubectl, server

    def start(self) -> None:
        """All Pods become ready."""
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.tell({"phase": "Running", "conditions": [ready]})

    def tell(self, status: dict[str, object]) -> None:
        for name in pods(self._kubectl):
            path = f"/api/v1/namespaces/{self._kubectl.namespace}/pods/{name}/status"
            found, body = self._server.request(
                "PATCH", path, {"status": status}, Content_Type="application/merge-patch+json"
            )
            assert found in (200, 404), body  # it may be gone by now

    def has_rolled_out(self, image: str) -> bool:
        """Start what is there, and ask whether all Pods have the image."""
        self.start()
        return (
            self._kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}").out.split()
            == [image] * 2
        )


@pytest.fixture
def runtime(kubectl: Kubectl, server: RunningServer) -> Runtime:
    return Runtime(kubectl, server)


def test_a_rollout_its_history_and_the_way_back(kubectl: Kubectl, runtime: Runtime) -> None:
    kubectl.apply(deployment(image="nginx:1"))
    eventually(lambda: len(pods(kubectl)) == 2)
    assert "timed out" in kubectl("rollout", "status", "deployment/web", "--timeout=1s", code=1).err
    runtime.start()
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=30s").out
    kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=30s")

    kubectl("set", "image", "deployment/web", "main=nginx:2")
    eventually(lambda: runtime.has_rolled_out("nginx:2"))
    kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert [row[0] for row in kubectl("rollout", "history", "deployment/web").rows[2:4]] == ["1", "2"]

    kubectl("rollout", "undo", "deployment/web")
    eventually(lambda: runtime.has_rolled_out("nginx:1"))
    kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert [row[0] for row in kubectl("rollout", "history", "deployment/web").rows[2:4]] == ["2", "3"]
    assert len(kubectl("get", "replicasets", "--no-headers").rows) == 2


def test_a_restart_replaces_every_pod(kubectl: Kubectl, runtime: Runtime) -> None:
    kubectl.apply(deployment())
    eventually(lambda: len(pods(kubectl)) == 2)
    runtime.start()
    before = set(pods(kubectl))

    kubectl("rollout", "restart", "deployment/web")

    def replaced() -> bool:
        runtime.start()
        return len(pods(kubectl)) == 2 and not before & set(pods(kubectl))

    eventually(replaced)


def test_a_job_is_waited_for(kubectl: Kubectl, runtime: Runtime) -> None:
    kubectl("create", "job", "once", "--image=busybox")
    eventually(lambda: len(pods(kubectl)) == 1)
    runtime.tell({"phase": "Succeeded"})

    kubectl("wait", "--for=condition=complete", "job/once", "--timeout=30s")
    assert kubectl("get", "job", "once", "--no-headers").rows[0][:3] == ["once", "Complete", "1/1"]


def test_pods_of_a_pool_follow_its_scale(kubectl: Kubectl, runtime: Runtime) -> None:
    kubectl.apply(pool(replicas=2))
    eventually(lambda: len(pods(kubectl)) == 2)
    kubectl("scale", "agentpool/chat", "--replicas=3")
    eventually(lambda: len(pods(kubectl)) == 3)
    runtime.start()

    kubectl("wait", "--for=jsonpath={.status.phase}=Ready", "agentpool/chat", "--timeout=30s")
    kubectl("delete", "agentpool", "chat")
    eventually(lambda: pods(kubectl) == [])


def test_members_of_a_stateful_set(kubectl: Kubectl, runtime: Runtime) -> None:
    manifest = deployment().replace("kind: Deployment", "kind: StatefulSet")
    kubectl.apply(manifest)

    def whole() -> bool:
        runtime.start()
        return pods(kubectl) == ["web-0", "web-1"]

    eventually(whole)
    runtime.start()
    assert "rolling update complete" in kubectl("rollout", "status", "statefulset/web", "--timeout=30s").out

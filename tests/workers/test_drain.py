"""`kubectl drain` with real workers: work moves before it stops."""

import subprocess

from workers.machines import LONGEST_S

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "c", "image": "none", "command": ["sleep", "1000"]}],
            },
        },
    },
}


def test_a_drain_starts_the_replacement_first(machines, kubectl_binary):
    machines.worker("w")
    machines.ask("POST", "/apis/apps/v1/namespaces/default/deployments", DEPLOYMENT)

    def pods():
        listed = machines.ask("GET", "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb")["items"]
        return {each["metadata"]["name"]: each["spec"].get("nodeName") for each in listed}

    machines.wait(lambda: len(pods()) == 1)
    first = next(iter(pods()))
    machines.wait_ready(first)
    machines.worker("v")
    seen = []

    kubectl = [kubectl_binary, "--kubeconfig", str(machines.server.kubeconfig)]
    drain = subprocess.Popen([*kubectl, "drain", "w"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def moved():
        present = pods()
        seen.append(present)
        return set(present.values()) == {"v"}

    machines.wait(moved)
    _, told = drain.communicate(timeout=LONGEST_S)

    assert drain.returncode == 0, told
    second = next(name for name, node in pods().items() if node == "v")
    assert any({first, second} <= present.keys() for present in seen)
    machines.wait_ready(second)

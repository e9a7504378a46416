"""Work on nodes: taint, cordon, uncordon and drain."""

from kubectl.client import Kubectl
from kubectl.manifests import node, pod

BUDGET = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: keep}
spec: {minAvailable: 1, selector: {matchLabels: {app: chat}}}
"""
RUNNING = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'


def test_taint(kubectl: Kubectl) -> None:
    kubectl.apply(node("tainted"))

    assert kubectl("taint", "node", "tainted", "team=red:NoSchedule").out == "node/tainted tainted\n"
    assert kubectl.value("node", "tainted", ".spec.taints[*].key") == "team"
    assert kubectl("taint", "node", "tainted", "team:NoSchedule-").out == "node/tainted untainted\n"
    assert kubectl.value("node", "tainted", ".spec.taints") == ""


def test_the_status_of_a_new_node_is_kept(kubectl: Kubectl) -> None:
    kubectl.create(node("posted", gpus=4))

    assert kubectl.value("node", "posted", ".status.capacity.nvidia\\.com/gpu") == "4"


def test_cordon_and_uncordon(kubectl: Kubectl) -> None:
    kubectl.apply(node("closed"))

    assert kubectl("cordon", "closed").out == "node/closed cordoned\n"
    assert kubectl("cordon", "closed").out == "node/closed already cordoned\n"
    assert kubectl("get", "node", "closed", "--no-headers").rows[0][1] == "Ready,SchedulingDisabled"
    assert kubectl("get", "nodes", "--field-selector=spec.unschedulable=true", "-o", "name").out == "node/closed\n"
    assert kubectl("uncordon", "closed").out == "node/closed uncordoned\n"
    assert kubectl("get", "node", "closed", "--no-headers").rows[0][1] == "Ready"


def test_drain(kubectl: Kubectl) -> None:
    kubectl.apply(node("emptied") + "---" + pod(more="  nodeName: emptied"))

    answer = kubectl("drain", "emptied", "--force", "--grace-period=0")

    assert "pod/a evicted" in answer.out
    assert "node/emptied drained" in answer.out
    assert kubectl("get", "pods").out == ""
    assert kubectl.value("node", "emptied", ".spec.unschedulable") == "true"


def test_drain_refuses_pods_of_no_controller(kubectl: Kubectl) -> None:
    kubectl.apply(node("kept") + "---" + pod(more="  nodeName: kept"))

    assert "declare no controller" in kubectl("drain", "kept", code=1).err
    assert kubectl("get", "pods", "-o", "name").out == "pod/a\n"


def test_a_disruption_budget_holds_a_drain_back(kubectl: Kubectl) -> None:
    kubectl.apply(node("needed") + "---" + pod(more="  nodeName: needed") + "---" + BUDGET)
    kubectl("patch", "pod", "a", "--subresource=status", "--type=merge", "-p", RUNNING)

    err = kubectl("drain", "needed", "--force", "--timeout=1s", code=1).err

    assert "Cannot evict pod as it would violate the pod's disruption budget." in err
    assert kubectl("get", "pods", "-o", "name").out == "pod/a\n"

    kubectl("delete", "pdb", "keep")
    kubectl("drain", "needed", "--force", "--grace-period=0")
    assert kubectl("get", "pods").out == ""

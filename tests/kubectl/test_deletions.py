"""kubectl delete in its modes, wait, and the end of namespaces."""

import pytest

from kubectl.client import Kubectl
from kubectl.manifests import config, deployment, pod


def owned(kubectl: Kubectl) -> None:
    """A Deployment and a Pod that it owns, as a controller would make it."""
    kubectl.apply(deployment())
    uid = kubectl.value("deploy", "web", ".metadata.uid")
    owner = f"{{apiVersion: apps/v1, kind: Deployment, name: web, uid: {uid}, blockOwnerDeletion: true}}"
    kubectl.create(pod("child").replace("labels: {app: chat}", f"ownerReferences: [{owner}]"))


@pytest.mark.parametrize("mode", ["background", "foreground"])
def test_what_is_owned_is_deleted_too(kubectl: Kubectl, mode: str) -> None:
    owned(kubectl)

    assert kubectl("delete", "deploy", "web", f"--cascade={mode}").out.startswith('deployment.apps "web" deleted')
    kubectl("wait", "--for=delete", "pod/child", "--timeout=20s")
    assert kubectl("get", "pods,deploy").out == ""


def test_orphans_stay(kubectl: Kubectl) -> None:
    owned(kubectl)
    kubectl("delete", "deploy", "web", "--cascade=orphan")

    assert kubectl.value("pod", "child", ".metadata.ownerReferences") == ""
    assert kubectl("get", "deploy").out == ""


def test_delete_what_a_manifest_names(kubectl: Kubectl) -> None:
    kubectl.apply(config() + "---" + pod())

    kubectl("delete", "-f", "-", given=config() + "---" + pod())

    assert kubectl("get", "cm,pods").out == ""


def test_delete_by_labels_and_all(kubectl: Kubectl) -> None:
    kubectl.apply("---".join([config("a", labels="{team: red}"), config("b"), config("c")]))
    kubectl("delete", "cm", "-l", "team=red")
    assert kubectl("get", "cm", "-o", "name").out.split() == ["configmap/b", "configmap/c"]

    kubectl("delete", "cm", "--all")
    assert kubectl("get", "cm").out == ""


def test_delete_what_is_not_there(kubectl: Kubectl) -> None:
    assert '(NotFound): configmaps "x" not found' in kubectl("delete", "cm", "x", code=1).err
    kubectl("delete", "cm", "x", "--ignore-not-found")


def test_finalizers_hold_a_deletion_back(kubectl: Kubectl) -> None:
    kubectl.apply(config().replace("labels: {}", "finalizers: [example.com/hold]"))
    kubectl("delete", "cm", "settings", "--wait=false")
    assert kubectl.value("cm", "settings", ".metadata.deletionTimestamp") != ""
    assert "timed out" in kubectl("delete", "cm", "settings", "--wait", "--timeout=1s", code=1).err

    kubectl("patch", "cm", "settings", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    kubectl("wait", "--for=delete", "cm/settings", "--timeout=20s")


def test_a_pod_on_a_node_gets_time_unless_it_is_forced(kubectl: Kubectl) -> None:
    kubectl.apply(pod(more="  nodeName: far-away"))
    kubectl("delete", "pod", "a", "--wait=false", "--grace-period=300")
    assert kubectl("get", "pods", "--no-headers").rows[0][2] == "Terminating"

    kubectl("delete", "pod", "a", "--force", "--grace-period=0")
    assert kubectl("get", "pods").out == ""


def test_wait_for_a_condition(kubectl: Kubectl) -> None:
    kubectl.apply(pod())
    assert "timed out" in kubectl("wait", "--for=condition=Ready", "pod/a", "--timeout=1s", code=1).err

    status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    kubectl("patch", "pod", "a", "--subresource=status", "--type=merge", "-p", status)
    assert kubectl("wait", "--for=condition=Ready", "pod/a", "--timeout=20s").out == "pod/a condition met\n"


def test_wait_for_a_value(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    waited = kubectl("wait", "--for=jsonpath={.status.phase}=Pending", "pod/a", "--timeout=20s")

    assert waited.out == "pod/a condition met\n"


def test_a_namespace_goes_with_everything_in_it(kubectl: Kubectl) -> None:
    assert kubectl("create", "namespace", "short-lived").out == "namespace/short-lived created\n"
    inside = kubectl.within("short-lived")
    inside.apply(config() + "---" + pod() + "---" + deployment())
    assert kubectl.value("ns", "short-lived", ".status.phase") == "Active"

    kubectl("delete", "namespace", "short-lived", "--timeout=30s")

    assert '"short-lived" not found' in kubectl("get", "ns", "short-lived", code=1).err
    assert inside("get", "cm,pods,deploy").out == ""


def test_objects_need_their_namespace(kubectl: Kubectl) -> None:
    err = kubectl.within("nowhere").apply(config(), code=1).err

    assert 'namespaces "nowhere" not found' in err


def test_the_default_namespace_stays(kubectl: Kubectl) -> None:
    assert "(Forbidden)" in kubectl("delete", "ns", "default", code=1).err

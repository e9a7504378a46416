"""kubectl get in all its forms."""

import json
import subprocess
import threading
from collections.abc import Iterator

import pytest

from kubectl.client import Kubectl
from kubectl.manifests import config, deployment, idle_pod, node, pod, pool


@pytest.fixture
def three(kubectl: Kubectl) -> Kubectl:
    """Three ConfigMaps, two of them of the team red."""
    kubectl.apply(
        "---".join([config("c", "2", "{team: red}"), config("a", "3", "{team: red}"), config("b", "1", "{team: blue}")])
    )
    return kubectl


def test_a_table(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    header, row = kubectl("get", "pods").rows

    assert header == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert row[:4] == ["a", "0/1", "Pending", "0"]


def test_wide(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    header, row = kubectl("get", "deploy", "-o", "wide").rows

    assert header == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]
    assert row[0] == "web"
    assert row[-3:] == ["main", "nginx:1", "app=web"]


def test_several_kinds_at_once(kubectl: Kubectl) -> None:
    kubectl.apply(pod() + "---" + deployment() + "---" + pool())

    out = kubectl("get", "pods,deploy,ap").out

    assert {"pod/a", "deployment.apps/web", "agentpool.neuronetes.io/chat"} <= {
        row.split(" ")[0] for row in out.split("\n")
    }


def test_all(kubectl: Kubectl) -> None:
    kubectl.apply(pod() + "---" + deployment() + "---" + config())

    out = kubectl("get", "all").out

    assert "pod/a" in out
    assert "deployment.apps/web" in out
    assert "configmap" not in out


def test_yaml(three: Kubectl) -> None:
    document = three("get", "cm", "a", "-o", "yaml").yaml

    assert (document["apiVersion"], document["kind"], document["data"]) == ("v1", "ConfigMap", {"value": "3"})
    assert document["metadata"]["namespace"] == three.namespace
    assert "managedFields" not in document["metadata"]


def test_json_with_managed_fields(three: Kubectl) -> None:
    found = json.loads(three("get", "cm", "-o", "json", "--show-managed-fields").out)

    assert [each["metadata"]["name"] for each in found["items"]] == ["a", "b", "c"]
    assert found["items"][0]["metadata"]["managedFields"][0]["manager"] == "kubectl-client-side-apply"


def test_custom_columns(three: Kubectl) -> None:
    rows = three("get", "cm", "-o", "custom-columns=N:.metadata.name,V:.data.value").rows

    assert rows == [["N", "V"], ["a", "3"], ["b", "1"], ["c", "2"]]


def test_jsonpath(three: Kubectl) -> None:
    assert three("get", "cm", "-o", "jsonpath={.items[*].metadata.name}").out == "a b c"


def test_names(three: Kubectl) -> None:
    assert three("get", "cm", "-o", "name").out.split() == ["configmap/a", "configmap/b", "configmap/c"]


def test_sort_by(three: Kubectl) -> None:
    assert [row[0] for row in three("get", "cm", "--sort-by=.data.value", "--no-headers").rows] == ["b", "c", "a"]


SELECTORS = {
    "team=red": ["a", "c"],
    "team!=red": ["b"],
    "team in (blue,green)": ["b"],
    "!team": [],
}


@pytest.mark.parametrize("selector", SELECTORS)
def test_label_selectors(three: Kubectl, selector: str) -> None:
    rows = three("get", "cm", "-l", selector, "--no-headers").rows

    assert [row[0] for row in rows] == SELECTORS[selector]


def test_field_selector(kubectl: Kubectl) -> None:
    kubectl.apply(pod("a") + "---" + pod("b", more="  nodeName: somewhere"))

    assert kubectl("get", "pods", "--field-selector=spec.nodeName=somewhere", "-o", "name").out == "pod/b\n"
    assert kubectl("get", "pods", "--field-selector=status.phase!=Pending", "-o", "name").out == ""


def test_a_field_that_cannot_be_selected_by(kubectl: Kubectl) -> None:
    err = kubectl("get", "pods", "--field-selector=spec.color=red", code=1).err

    assert "field label not supported: spec.color" in err


def test_all_namespaces(kubectl: Kubectl) -> None:
    kubectl.apply(config("everywhere"))

    header, *rows = kubectl("get", "cm", "-A").rows

    assert header == ["NAMESPACE", "NAME", "DATA", "AGE"]
    assert [kubectl.namespace, "everywhere", "1"] in [row[:3] for row in rows]


def test_show_labels_and_label_columns(three: Kubectl) -> None:
    assert three("get", "cm", "b", "--show-labels", "--no-headers").rows[0][-1] == "team=blue"
    assert three("get", "cm", "b", "-L", "team").rows[0][-1] == "TEAM"


def test_pages(three: Kubectl) -> None:
    assert three("get", "cm", "--chunk-size=1", "-o", "name").out.split() == [
        "configmap/a",
        "configmap/b",
        "configmap/c",
    ]


def test_missing_objects(kubectl: Kubectl) -> None:
    answer = kubectl("get", "pod", "nothing", code=1)

    assert answer.err == 'Error from server (NotFound): pods "nothing" not found\n'
    assert kubectl("get", "pod", "nothing", "--ignore-not-found").out == ""


def test_no_objects(kubectl: Kubectl) -> None:
    assert kubectl("get", "pods").err == f"No resources found in {kubectl.namespace} namespace.\n"


def test_both_kinds_called_model(kubectl: Kubectl) -> None:
    kubectl.apply(
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: iris}\n"
        "spec: {storageUri: 'gs://models/iris', requirements: [sklearn]}\n"
    )

    assert kubectl("get", "mlm", "-o", "name").out == "model.mlops.seldon.io/iris\n"
    assert kubectl("get", "models.mlops.seldon.io", "-o", "name").out == "model.mlops.seldon.io/iris\n"
    assert kubectl("get", "mdl", "-o", "name").out == ""


def test_a_group_under_its_other_name(kubectl: Kubectl) -> None:
    kubectl.apply(pool())

    assert kubectl.value("agentpools.neuronetes.ai", "chat", ".apiVersion") == "neuronetes.ai/v1alpha1"
    assert kubectl.value("agentpools.neuronetes.io", "chat", ".apiVersion") == "neuronetes.io/v1alpha1"


@pytest.fixture
def watched(kubectl: Kubectl) -> Iterator[subprocess.Popen[str]]:
    """`kubectl get pods --watch`, which has already shown the pod a."""
    kubectl.apply(idle_pod("a"))
    command = kubectl.command("get", "pods", "--watch", "--no-headers", "--output-watch-events")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=kubectl.environment())
    alarm = threading.Timer(50, process.kill)  # a watch that says nothing would block the test for ever
    alarm.start()
    try:
        yield process
    finally:
        alarm.cancel()
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_watch(kubectl: Kubectl, watched: subprocess.Popen[str]) -> None:
    assert watched.stdout is not None
    seen = [watched.stdout.readline().split()[:2]]
    kubectl.apply(idle_pod("b"))
    seen.append(watched.stdout.readline().split()[:2])
    kubectl("label", "pod", "b", "color=red")
    seen.append(watched.stdout.readline().split()[:2])
    kubectl("delete", "pod", "a", "--wait=false")
    seen.append(watched.stdout.readline().split()[:2])

    assert seen == [["ADDED", "a"], ["ADDED", "b"], ["MODIFIED", "b"], ["DELETED", "a"]]


def test_nodes(kubectl: Kubectl) -> None:
    kubectl.apply(node("listed-worker"))

    header, row = kubectl("get", "node", "listed-worker").rows

    assert (header[:2], row[:2]) == (["NAME", "STATUS"], ["listed-worker", "Ready"])

"""Who may do what: kubectl auth, and requests without a token."""

import pytest
import yaml

from kubectl.client import Kubectl
from server import RunningServer


def test_whoami(kubectl: Kubectl) -> None:
    rows = kubectl("auth", "whoami", "--no-headers").rows if False else kubectl("auth", "whoami").rows

    assert rows[1][0] == "Username"


QUESTIONS = {
    "an object": ["create", "pods"],
    "everything": ["*", "*"],
    "a subresource": ["get", "pods", "--subresource=log"],
    "a kind of a group": ["delete", "agentpools.neuronetes.io"],
    "a path": ["get", "/version"],
}


@pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)
def test_can_i(kubectl: Kubectl, words: list[str]) -> None:
    assert kubectl("auth", "can-i", *words).out == "yes\n"


def test_can_i_list(kubectl: Kubectl) -> None:
    header, *rows = kubectl("auth", "can-i", "--list").rows

    assert header[:2] == ["Resources", "Non-Resource"]
    assert ["*.*", "[]", "[]", "[*]"] in rows


@pytest.fixture
def viewer(kubectl: Kubectl, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """kubectl with a token that may only read in the namespace of the test."""
    wish = {"name": kubectl.namespace, "role": "viewer", "namespaces": [kubectl.namespace]}
    status, body = server.request("POST", "/v1/tokens", wish)
    assert status in {200, 201}, body
    config = yaml.safe_load(server.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = yaml.safe_load(body)["token"]
    file = tmp_path_factory.mktemp("viewer") / "kubeconfig"
    file.write_text(yaml.safe_dump(config))
    return Kubectl(kubectl.binary, file, kubectl.home, kubectl.namespace)


def test_a_viewer_reads_and_changes_nothing(viewer: Kubectl) -> None:
    assert viewer("get", "pods").code == 0
    assert viewer("auth", "can-i", "create", "pods", code=1).out.startswith("no")
    err = viewer("create", "configmap", "x", code=1).err
    assert "cannot create resource" in err
    assert "(Forbidden)" in viewer("get", "pods", "-n", "kube-system", code=1).err


def test_requests_without_a_token_are_refused(kubectl: Kubectl, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    config = yaml.safe_load(server.kubeconfig.read_text())
    del config["users"][0]["user"]["token"]
    file = tmp_path_factory.mktemp("stranger") / "kubeconfig"
    file.write_text(yaml.safe_dump(config))
    stranger = Kubectl(kubectl.binary, file, kubectl.home, kubectl.namespace)

    err = stranger("get", "--raw", "/api/v1/pods", code=1).err

    assert "must be logged in" in err or "Unauthorized" in err

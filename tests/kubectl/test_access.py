"""Who may do what: kubectl auth, and requests without a token."""

from pathlib import Path

import pytest
import yaml

from bayplan_up import RunningServer
from kubectl.client import Kubectl


def test_whoami(kubectl: Kubectl) -> None:
    rows = kubectl("auth", "whoami").rows

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


def with_token(server: RunningServer, token: str, folders: pytest.TempPathFactory) -> Path:
    """A kubeconfig with another token."""
    config = yaml.safe_load(server.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = token
    file = folders.mktemp("user") / "kubeconfig"
    file.write_text(yaml.safe_dump(config))
    return file


@pytest.fixture
def viewer(kubectl: Kubectl, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """kubectl with a token that may only read in the namespace of the test."""
    wish = {"name": kubectl.namespace, "role": "viewer", "namespaces": [kubectl.namespace]}
    status, body = server.request("POST", "/v1/tokens", wish)
    assert status in {200, 201}, body
    file = with_token(server, yaml.safe_load(body)["token"], tmp_path_factory)
    return Kubectl(kubectl.binary, file, kubectl.home, kubectl.namespace)


def test_a_viewer_reads_and_changes_nothing(viewer: Kubectl) -> None:
    assert viewer("get", "pods").code == 0
    assert viewer("auth", "can-i", "create", "pods", code=1).out.startswith("no")
    err = viewer("create", "configmap", "x", code=1).err
    assert "cannot create resource" in err
    assert "(Forbidden)" in viewer("get", "pods", "-n", "kube-system", code=1).err


def test_an_unknown_token_is_refused(
    kubectl: Kubectl, server: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stranger = Kubectl(kubectl.binary, with_token(server, "guessed", tmp_path_factory), kubectl.home)

    assert "You must be logged in to the server" in stranger("get", "pods", code=1).err


def test_a_request_without_a_token_is_refused(server: RunningServer) -> None:
    status, body = server.request("GET", "/api/v1/pods", Authorization="")

    assert (status, yaml.safe_load(body)["reason"]) == (401, "Unauthorized")

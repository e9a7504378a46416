import json
import socket
import threading

import pytest

from bayplan_up import RunningServer


def test_where_no_server_ever_ran_the_error_says_how_to_start_one(alone):
    said = alone("get", "pods")

    assert said.status == 1
    assert said.err.startswith(
        f"error: {alone.folder / 'data'}: no server has run with this folder; start one: bayplan up"
    )


def test_where_no_server_answers_the_error_says_how_to_start_one(alone):
    with RunningServer(alone.folder / "data"):
        assert alone("get", "pods").status == 0

    said = alone("get", "pods", "--data", str(alone.folder / "data"), "-o", "json")
    error = json.loads(said.err)["error"]
    assert error["code"] == "no-server"
    assert error["next"].startswith(f"start one: bayplan up --data {alone.folder / 'data'}")


def test_a_server_can_be_named_by_its_url_or_by_a_kubeconfig(command, monkeypatch, tmp_path):
    file = str(command.server.data / "kubeconfig")

    assert command("get", "nodes", "--server", command.server.url).status == 0
    monkeypatch.setenv("BAYPLAN_DATA", str(tmp_path))
    assert command("get", "nodes", "--server", file).status == 0
    monkeypatch.setenv("BAYPLAN_SERVER", file)
    assert command("get", "nodes").status == 0
    monkeypatch.setenv("BAYPLAN_SERVER", command.server.url)
    assert "its certificate is not trusted" in command("get", "nodes").err


def test_an_unknown_token(command, monkeypatch, tmp_path):
    text = (command.server.data / "kubeconfig").read_text().replace("token: bayplan_", "token: bayplan_x")
    (tmp_path / "wrong").write_text(text)

    said = command("get", "nodes", "--server", str(tmp_path / "wrong"))
    assert said.status == 1
    assert "bayplan token create" in said.err


def test_a_file_that_is_no_kubeconfig(command, tmp_path):
    (tmp_path / "file").write_text("a: b\n")

    assert "it is no kubeconfig" in command("get", "nodes", "--server", str(tmp_path / "file")).err


@pytest.mark.parametrize("url", ["https://", "http://a:b", "https://127.0.0.1:99999999"])
def test_what_is_no_url(url, command):
    assert "is no URL of a server" in command("get", "nodes", "--server", url).err


def test_another_program_at_the_port(command):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_speak, args=(listener,))
        thread.start()
        said = command("get", "nodes", "--server", f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()

    assert said.status == 1
    assert "no Bayplan server" in said.err


def _speak(listener):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
        connection.recv(4096)

"""One server for all tests of a module that ask one."""

import pytest

from bayplan_up import RunningServer
from unit.cli.serving import Commands, emptied


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory):
    with RunningServer(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def command(shared_server, capsys, tmp_path, monkeypatch):
    """Runs commands that ask the server of this module."""
    monkeypatch.setenv("BAYPLAN_DATA", str(shared_server.data))
    monkeypatch.delenv("BAYPLAN_SERVER", raising=False)
    with emptied(shared_server):
        yield Commands(capsys, tmp_path, shared_server)


@pytest.fixture
def alone(capsys, tmp_path, monkeypatch):
    """Runs commands where no server is."""
    monkeypatch.setenv("BAYPLAN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("BAYPLAN_SERVER", raising=False)
    return Commands(capsys, tmp_path)

import stat

import pytest

from bayplan_up import RunningServer
from unit.cli.serving import pod


@pytest.mark.parametrize("way", ["through the folder", "through the network"])
def test_a_backup_of_a_running_server_becomes_another_folder(command, way, monkeypatch, tmp_path):
    command.applied(pod())
    file, fresh = tmp_path / "saved.db", tmp_path / "fresh"
    named = ("--server", command.server.url) if way == "through the network" else ()

    said = command("backup", str(file), *named)
    assert (said.status, said.err) == (0, "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(command.server.data.glob("backup-*"))
    assert command("restore", str(file), "--data", str(fresh)).status == 0
    monkeypatch.setenv("BAYPLAN_DATA", str(fresh))
    with RunningServer(fresh):
        assert command("get", "pods", "-o", "name").out == "pod/chat\n"


def test_files_and_folders_are_replaced_only_by_force(command, tmp_path):
    file = tmp_path / "saved.db"
    command("backup", str(file))

    for named in ((), ("--server", command.server.url)):
        assert "exists already" in command("backup", str(file), *named).err
        assert command("backup", str(file), "--force", *named).status == 0
    assert "is in use by process" in command("restore", str(file), "--force").err
    fresh = str(tmp_path / "fresh")
    command("restore", str(file), "--data", fresh)
    assert "holds a database already" in command("restore", str(file), "--data", fresh).err
    assert command("restore", str(file), "--data", fresh, "--force").status == 0


def test_only_an_admin_may_have_a_backup(command, tmp_path):
    made = command("token", "create", "editor", "--role", "editor", "-o", "kubeconfig")
    kubeconfig = command.file(made.out, "editor.kubeconfig")

    said = command("backup", str(tmp_path / "x.db"), "--server", kubeconfig)
    assert "cannot back up the store" in said.err
    assert not list(tmp_path.glob("x.db*"))


def test_what_is_no_backup_is_refused(alone):
    said = alone("restore", alone.file("not a database", "x.db"))

    assert said.status == 1
    assert said.err.startswith("error: ")
    assert "start one: bayplan up" in alone("backup", str(alone.folder / "y.db")).err

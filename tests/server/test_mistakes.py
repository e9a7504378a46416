"""Mistakes that people make with `bayplan up`: place, problem and next step in one line, exit 1, and nothing lost."""

import ctypes
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bayplan.control.failpoints import VARIABLE
from bayplan_up import RunningServer, environment
from unit.stores.databases import content, fill

PLAIN = "--insecure-http"
MAPS = "/api/v1/namespaces/default/configmaps"
_DROP = 24  # PR_CAPBSET_DROP
_OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: with them, root may write everywhere


def as_others():
    """A process of root that keeps to the permissions of files, as those of other users do."""
    for each in _OVERRIDES if os.geteuid() == 0 else ():
        ctypes.CDLL(None).prctl(_DROP, each, 0, 0, 0)


def fails(*flags, **variables):
    """What a start that must fail says."""
    command = [sys.executable, "-m", "bayplan", "up", PLAIN, *map(str, flags)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=environment(**variables),
        preexec_fn=as_others,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line.removeprefix("error: ")


def test_the_port_is_taken(tmp_path):
    fill(tmp_path / "data", 3)
    before = content(tmp_path / "data")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = fails("--data", tmp_path / "data", "--port", port)

    assert said.startswith(f"--port: 127.0.0.1:{port} cannot be used: Address already in use; stop the program")
    assert content(tmp_path / "data") == before


SAID = {
    "no port": (
        ["--port", "99999"],
        "--port: 99999 is no port; choose 1 to 65535; 0 takes a free one"),
    "a file in the place of the folder": (
        ["--data", "{folder}/file"],
        "{folder}/file: is no folder; choose another folder with --data"),
    "a folder that is not writable": (
        ["--data", "{folder}/closed/data"],
        "{folder}/closed/data: is not accessible for this user; make the folder writable for this user"),
    "a scenario that is not there": (
        ["--simulate", "{folder}/none.yaml"],
        "{folder}/none.yaml: there is no such file; check the path, or use - for standard input"),
    "a Cluster that cannot be read": (
        ["--cluster", "{folder}/bad.yaml"],
        "{folder}/bad.yaml:2:1: not valid YAML: "),
}  # fmt: skip


@pytest.mark.parametrize(("flags", "said"), SAID.values(), ids=SAID)
def test_said(tmp_path, flags, said):
    (tmp_path / "file").touch()
    (tmp_path / "bad.yaml").write_text("workers: [", encoding="utf-8")
    (tmp_path / "closed").mkdir(mode=0o555)
    flags = [each.format(folder=tmp_path) for each in flags]
    rest = {"--data": tmp_path / "data", "--port": 0}
    rest = [word for flag, value in rest.items() if flag not in flags for word in (flag, value)]

    assert fails(*flags, *rest).startswith(said.format(folder=tmp_path))


def test_a_plain_server_on_an_address_of_others(tmp_path):
    said = fails("--data", tmp_path / "data", "--host", "203.0.113.9")

    assert said.startswith("--host: plain HTTP is for this machine alone, not for 203.0.113.9; leave")


VARIABLES = {
    "misspelt": ("store-comitted",   "no failpoint is called 'store-comitted'; did you mean 'store-committed'?"),
    "no number": ("store-begun:two", "'two' is no whole number from 1 on; write name:n"),
}  # fmt: skip


@pytest.mark.parametrize(("setting", "said"), VARIABLES.values(), ids=VARIABLES)
def test_a_failpoint_that_does_not_exist(tmp_path, setting, said):
    assert fails("--data", tmp_path / "data", **{VARIABLE: setting}) == f"{VARIABLE}: {said}"
    assert not (tmp_path / "data").exists()


def test_a_second_server_on_the_same_folder(tmp_path):
    with RunningServer(tmp_path / "data", PLAIN) as server:
        holder = json.loads((tmp_path / "data" / "lock").read_text())
        said = fails("--data", tmp_path / "data", "--port", 0)

        assert said.startswith(f"{tmp_path}/data: is in use by process {server.process.pid} since {holder['since']}; ")
        assert server.request("GET", MAPS)[0] == 200


def test_what_a_dead_process_left_behind_is_in_nobodys_way(tmp_path):
    fill(tmp_path / "data", 3)
    (tmp_path / "data" / "lock").write_text('{"pid": 1, "since": "2020-01-01T00:00:00Z"}')
    (tmp_path / "data" / "run.json").write_text("half a fi")

    with RunningServer(tmp_path / "data", PLAIN) as server:
        assert json.loads((tmp_path / "data" / "run.json").read_text())["pid"] == server.process.pid
        assert named(server, MAPS).keys() == {"m0", "m1"}


def named(server, path):
    code, body = server.request("GET", path)
    assert code == 200
    return {each["metadata"]["name"]: each for each in json.loads(body)["items"]}


def test_a_disk_that_fills_up(tmp_path):
    accepted, refused = [], ""
    with RunningServer(tmp_path / "data", PLAIN, **{VARIABLE: "disk-full:20"}) as server:
        while not refused:
            name = f"m{len(accepted)}"
            code, body = server.request("POST", MAPS, {"metadata": {"name": name}, "data": {"a": "b"}})
            if code == 201:
                accepted.append(name)
            else:
                refused = json.loads(body)
        assert set(accepted) <= named(server, MAPS).keys()
        assert server.stop() == 0

    assert (refused["code"], refused["reason"]) == (507, "InsufficientStorage")
    assert "the disk is full" in refused["message"]
    assert "free some space; nothing that was accepted is lost" in refused["message"]
    assert accepted
    with RunningServer(tmp_path / "data", PLAIN) as server:
        assert {each for each in named(server, MAPS) if each.startswith("m")} == set(accepted)


def test_a_start_on_a_full_disk(tmp_path):
    fill(tmp_path / "data", 3)
    before = content(tmp_path / "data")

    said = fails("--data", tmp_path / "data", "--port", 0, **{VARIABLE: "disk-full"})

    assert said.startswith(
        f"{tmp_path}/data/bayplan.db: the disk is full (SQLITE_FULL: database or disk is full); free"
    )
    assert content(tmp_path / "data") == before


def test_a_folder_of_the_version_before(tmp_path):
    """Objects that no loop ever saw: a Cluster gets Nodes, workloads get Pods, placed around what is booked."""
    (tmp_path / "data").mkdir()
    connection = sqlite3.connect(tmp_path / "data" / "bayplan.db")
    connection.executescript((Path(__file__).parent / "data" / "before_loops.sql").read_text(encoding="utf-8"))
    connection.close()
    with RunningServer(tmp_path / "data", PLAIN) as server:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pods = named(server, "/api/v1/pods")
            if len(pods) == 6 and all(each["spec"].get("nodeName") for each in pods.values()):
                break
            time.sleep(0.1)
        found = {name.rpartition("-")[0] or name for name in pods}

        assert found == {"agents", "batch", "chat", "notebook-0"}
        assert len(pods) == 6
        assert named(server, "/api/v1/nodes").keys() == {"quad-0", "quad-1"}
        doctor = json.loads(server.request("GET", "/v1/doctor")[1])
        assert [each for each in doctor["invariants"] if each["ok"] is False] == []
        assert doctor["store"]["ok"]

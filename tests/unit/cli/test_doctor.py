from bayplan_up import RunningServer
from unit.cli.serving import WORKER, pod

CLUSTER = """
apiVersion: bayplan.io/v1alpha1
kind: Cluster
metadata: {name: same}
workers: [{name: w1, gpus: {count: 1}}]
"""


def bound(name, cards):
    return pod(name).replace("schedulerName: bayplan", "nodeName: w1").replace("gpu: 1", f"gpu: {cards}")


def test_a_sound_server(command):
    command.applied(WORKER, bound("one", 1))

    said = command("doctor", "-o", "json")
    assert said.status == 0
    assert said.json["store"] == {"ok": True, "problems": []}
    assert said.json["cluster"] == {"ok": True, "problems": []}
    assert {each["id"] for each in said.json["invariants"] if each["ok"]} == {"I1", "I2", "I13"}
    assert {each["id"] for each in said.json["invariants"] if each["ok"] is None and each["reason"]} >= {"I3", "I5"}
    assert [each["violations"] for each in said.json["invariants"]] == [[]] * 13
    assert command("doctor").out.startswith("everything holds that can be judged\n")


def test_a_violation(command):
    command.applied(WORKER, bound("one", 3), bound("two", 3))

    said = command("doctor")
    assert said.status == 1
    assert said.out.startswith("something is wrong\n")
    assert "worker w1: 6 nvidia.com/gpu are assigned, it has 4" in " ".join(said.out.split())


def test_a_worker_that_is_a_node_already_is_read_once(command):
    command.applied(WORKER, CLUSTER)
    try:
        said = command("doctor", "-o", "json")
    finally:
        assert command("delete", "cluster.bayplan.io", "same").status == 0

    assert said.json["cluster"] == {"ok": True, "problems": []}


def test_a_folder_without_a_server_is_checked_as_well(alone):
    with RunningServer(alone.folder / "data"):
        assert alone("apply", "-f", alone.file(WORKER)).status == 0

    assert alone("doctor").out.startswith("everything holds that can be judged\n")
    database = alone.folder / "data" / "bayplan.db"
    text = bytearray(database.read_bytes())
    text[4096:8192] = b"\xff" * 4096
    database.write_bytes(text)
    said = alone("doctor", "-o", "json")
    assert said.status == 1
    assert said.json["store"]["ok"] is False
    assert {each["ok"] for each in said.json["invariants"]} == {None}
    assert alone("doctor").out.startswith("something is wrong\n")


def test_no_folder_and_no_server(alone):
    said = alone("doctor")

    assert said.status == 1
    assert "start one: bayplan up" in said.err


def test_failpoints_are_listed(alone):
    names = [each["name"] for each in alone("doctor", "--failpoints", "-o", "json").json["failpoints"]]

    assert "store-committed" in names
    assert alone("doctor", "--failpoints").out.splitlines()[1].startswith(names[0])

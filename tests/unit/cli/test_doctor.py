from server.running import running
from unit.cli.serving import WORKER, pod


def bound(name, cards):
    return pod(name).replace("schedulerName: bayplan", "nodeName: w1").replace("gpu: 1", f"gpu: {cards}")


def test_a_sound_server(command):
    command.applied(WORKER, bound("one", 1))

    said = command("doctor", "-o", "json")
    assert said.status == 0
    assert said.json["store"] == {"ok": True, "problems": []}
    assert [(each["id"], each["ok"], each["violations"]) for each in said.json["invariants"]] == [
        (number, True, []) for number in ("I1", "I2", "I3", "I13")
    ]
    assert command("doctor").out.startswith("everything holds\n")


def test_a_folder_without_a_server_is_checked_as_well(alone):
    with running(alone.folder / "data", tls=True):
        assert alone("apply", "-f", alone.file(WORKER)).status == 0

    assert alone("doctor").out.startswith("everything holds\n")
    database = alone.folder / "data" / "bayplan.db"
    text = bytearray(database.read_bytes())
    text[4096:8192] = b"\xff" * 4096
    database.write_bytes(text)
    said = alone("doctor")
    assert said.status == 1
    assert said.out.startswith("something is wrong\n")


def test_no_folder_and_no_server(alone):
    said = alone("doctor")

    assert said.status == 1
    assert "start one: bayplan up" in said.err


def test_failpoints_are_listed(alone):
    names = [each["name"] for each in alone("doctor", "--failpoints", "-o", "json").json["failpoints"]]

    assert "store-committed" in names
    assert alone("doctor", "--failpoints").out.splitlines()[1].startswith(names[0])

"""`bayplan worker`: what is wrong with its flags is told before anything is started; tests/workers run it."""

import pytest

from bayplan.cli.main import run
from bayplan.cli.worker import _description, _labels, _pretended
from bayplan.framework.errors import InputError

BACKENDS = "apiVersion: bayplan.io/v1alpha1\nkind: Backends\nbackends: {x: {command: ['{prot}']}}\n"
FLEET = """
apiVersion: bayplan.io/v1alpha1
kind: Cluster
workers: [{name: a, gpus: {count: 2, model: L4, memory: 24Gi}}, {name: b}]
"""

REFUSED = {
    "a name that is none": (["--name", "Box_1"], "--name: 'Box_1' is no name of a Node"),
    "cards that cannot be read": (["--gpus", "many"], "--gpus: 'many' cannot be read"),
    "cards of unknown memory": (["--gpus", "2xFancy"], "write it: --gpus 2xFancy:24Gi"),
    "two descriptions": (["--gpus", "1xL4", "--cluster-file", "{fleet}"], "give one of them"),
    "a fleet without this worker": (["--cluster-file", "{fleet}"], "no worker 'w'; give it --name, one of a, b"),
    "a file that is not there": (["--cluster-file", "{folder}/none.yaml"], "none.yaml"),
    "templates with a mistake": (["--backends", "{backends}"], "did you mean 'port'?"),
    "an address that is none": (["--address", "localhost"], "--address: 'localhost' is no address"),
    "every address": (["--address", "::"], "--address: :: is not the address of one machine"),
    "an address that the server cannot reach": (
        ["--server", "https://10.0.0.5:7077"], "the server is called 10.0.0.5, and cannot reach 127.0.0.1",
    ),
    "a label without a value": (["--label", "x"], "--label: 'x' is no label; write KEY=VALUE"),
    "no time between heartbeats": (["--heartbeat", "0"], "--heartbeat: 0 is no time"),
    "no server": ([], "no server has run with this folder"),
    "a log of no size": (["--log-size", "x"], "--log-size"),
}  # fmt: skip


@pytest.mark.parametrize(("flags", "message"), REFUSED.values(), ids=REFUSED)
def test_mistakes(tmp_path, capsys, flags, message):
    (tmp_path / "backends.yaml").write_text(BACKENDS)
    (tmp_path / "fleet.yaml").write_text(FLEET)
    places = {"folder": tmp_path, "backends": tmp_path / "backends.yaml", "fleet": tmp_path / "fleet.yaml"}
    named = [] if "--name" in flags else ["--name", "w"]

    status = run(["worker", "--data", str(tmp_path), *named, *(each.format(**places) for each in flags)])

    said = capsys.readouterr().err
    assert status == 1
    assert message in said
    assert "Traceback" not in said


def test_a_folder_that_cannot_be_used(tmp_path, capsys):
    (tmp_path / "kubeconfig").write_text("x")
    (tmp_path / "file").touch()
    server = ["--server", "http://127.0.0.1:1"]

    status = run(["worker", "--name", "w", *server, "--work-dir", str(tmp_path / "file" / "w")])

    assert status == 1
    assert "choose a folder that you may write to: --work-dir DIR" in capsys.readouterr().err


def test_cards_in_a_few_letters():
    assert _pretended("4xA100-SXM4-80GB", "w")["gpus"] == {"count": 4, "model": "A100-SXM4-80GB", "memory": 81920}
    assert _pretended("1xFancy:10Gi", "w")["gpus"] == {"count": 1, "model": "Fancy", "memory": "10Gi"}


def test_a_worker_of_a_file(tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(FLEET)

    assert len(_description(file, None, "a").gpus) == 2
    with pytest.raises(InputError):
        _description(file, None, "c")


def test_labels():
    assert _labels(["a=b", "c=", "d=e=f"]) == {"a": "b", "c": "", "d": "e=f"}

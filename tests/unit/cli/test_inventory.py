"""`bayplan inventory KIND` prints a Cluster file of our own."""

import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from bayplan.cli.main import run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "inventory"
NODES, PODS, ALNAIR, WORKERS, INSTANCES = (
    str(FIXTURES / f"{name}.json")
    for name in ("kubernetes-nodes", "pods", "alnair-nodes", "gpustack-workers", "gpustack-instances")
)

KINDS = {
    "kubernetes":            (["kubernetes", "-f", NODES, "-f", PODS], "ip-10-4-17-21.us-west-2.compute.internal", 3),
    "several after one -f":  (["kubernetes", "-f", NODES, PODS], "ip-10-4-17-21.us-west-2.compute.internal", 3),
    "alnair":                (["alnair", ALNAIR], "titan34", 0),
    "gpustack":              (["gpustack", WORKERS, INSTANCES], "host01-4090", 1),
}  # fmt: skip


@pytest.mark.parametrize(("words", "worker", "bookings"), KINDS.values(), ids=KINDS)
def test_prints_a_cluster(words, worker, bookings, capsys):
    assert run(["inventory", *words]) == 0

    document = yaml.safe_load(capsys.readouterr().out)
    assert document["kind"] == "Cluster"
    assert [each["name"] for each in document["workers"]] == [worker]
    assert len(document["bookings"]) == bookings


def test_what_is_printed_can_be_read_again(tmp_path, capsys):
    run(["inventory", "kubernetes", NODES, "-o", "json"])
    first = json.loads(capsys.readouterr().out)

    import bayplan

    assert (
        bayplan.read_cluster(first)["workers"] == bayplan.read_cluster(json.loads(Path(NODES).read_text()))["workers"]
    )
    assert first["workers"][0]["gpus"] == {"count": 8, "model": "NVIDIA-A100-SXM4-40GB", "memory": 40960}


def test_warnings_go_to_stderr_and_into_the_document(capsys):
    run(["inventory", "kubernetes", "-f", NODES, "-f", PODS, "-o", "json"])

    out, err = capsys.readouterr()
    assert "warning: " in err
    assert "the free cards with the lowest numbers are booked: 2" in err
    assert len(json.loads(out)["warnings"]) == 1


def test_the_table(capsys):
    run(["inventory", "gpustack", WORKERS, "-o", "table"])

    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["WORKER", "STATUS", "CARDS", "MODEL", "GiB", "PER", "CARD", "CPU", "CORES", "RAM", "GiB"]
    assert row.split()[:3] == ["host01-4090", "ready", "8"]
    assert " 24.0 " in row


def test_stdin(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(ALNAIR).read_bytes())))

    assert run(["inventory", "alnair", "-f", "-", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["workers"][0]["name"] == "titan34"


def test_an_inventory_without_workers_says_so(tmp_path, capsys):
    (tmp_path / "f.json").write_text('{"kind": "List", "items": []}')

    assert run(["inventory", "kubernetes", str(tmp_path / "f.json")]) == 0
    assert "warning: the inventory has no workers" in capsys.readouterr().err


FAILURES = {
    "no file named":     (["kubernetes"], "error: bayplan inventory: FILE is missing; name the inventory: -f FILE"),
    "no such file":      (["kubernetes", "-f", "gone.json"], "error: gone.json: there is no such file; "),
    "another dialect":   (["gpustack", NODES], "a Node is none of GPUStack model instance, GPUStack worker; "),
    "another, the same": (
        ["kubernetes", WORKERS],
        "a GPUStack worker is none of Model, Node, NodeResourceTopology, Pod, PodDisruptionBudget; "),
}  # fmt: skip


@pytest.mark.parametrize(("words", "told"), FAILURES.values(), ids=FAILURES)
def test_failures_are_told_in_one_line(words, told, capsys):
    assert run(["inventory", *words]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert len(err.splitlines()) == 1


class NoDriver:
    """A library as it is on a machine without a driver."""

    class NVMLError(Exception):
        pass

    def nvmlInit(self):  # noqa: N802 (the name of the real one)
        raise self.NVMLError("Driver Not Loaded")


@pytest.mark.parametrize(("library", "told"), [(None, "is not installed"), (NoDriver(), "Driver Not Loaded")])
def test_a_machine_without_a_gpu_is_told(library, told, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pynvml", library)

    assert run(["inventory", "local"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: NVML: ")
    assert told in err
    assert "; " in err


class OneCard(NoDriver):
    """A library that answers nothing but how many cards there are."""

    def nvmlInit(self):  # noqa: N802
        pass

    def nvmlShutdown(self):  # noqa: N802
        pass

    def nvmlDeviceGetCount(self):  # noqa: N802
        return 1


def test_this_machine(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pynvml", OneCard())

    assert run(["inventory", "local", "box", "-o", "json"]) == 0
    (worker,) = json.loads(capsys.readouterr().out)["workers"]
    assert (worker["name"], worker["status"], len(worker["gpus"])) == ("box", "ready", 1)
    assert worker["cpu"] > 0
    assert worker["ram"] > 0


def test_an_empty_file_is_an_error(tmp_path, capsys):
    (tmp_path / "empty.json").write_text("\n")

    assert run(["inventory", "kubernetes", str(tmp_path / "empty.json")]) == 1
    assert "it is empty: there is no document in it" in capsys.readouterr().err

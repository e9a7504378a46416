"""`bayplan convert` and `bayplan import gpustack` print native documents, and tell what they leave out."""

import json
from pathlib import Path

import yaml

from bayplan.cli.main import run

FIXTURES = Path(__file__).parents[2] / "fixtures"
GUIDE = str(FIXTURES / "dialects" / "neuronetes-guide.yaml")
WORKERS = str(FIXTURES / "inventory" / "gpustack-workers.json")


def test_yaml_is_one_document_for_each_object(capsys):
    assert run(["convert", "-f", GUIDE]) == 0

    out, err = capsys.readouterr()
    documents = list(yaml.safe_load_all(out))
    assert [each["kind"] for each in documents] == ["Workload"] * 9
    assert "warning: ToolBinding/queue-binding: ignored: spec.queueConfig: " in err


def test_what_is_printed_can_be_read_again(tmp_path, capsys):
    run(["convert", GUIDE])
    first = capsys.readouterr().out
    (tmp_path / "native.yaml").write_text(first)
    run(["convert", str(tmp_path / "native.yaml")])

    assert capsys.readouterr() == (first, "")


def test_json_lists_what_is_ignored(capsys):
    assert run(["convert", GUIDE, "-o", "json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document.keys() == {"kind", "items", "ignored", "kept", "warnings"}
    assert "spec.queueConfig" in [each["path"] for each in document["ignored"]]


def test_the_table(capsys):
    run(["convert", GUIDE, "-o", "table"])

    assert capsys.readouterr().out.splitlines()[1].split() == ["Workload", "tensor-parallel-pool"]


def test_many_paths_with_one_reason_are_one_short_warning(tmp_path, capsys):
    spec = {f"odd{number}": 1 for number in range(20)}
    pool = {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": "p"}, "spec": spec}
    (tmp_path / "pool.json").write_text(json.dumps(pool))
    run(["convert", str(tmp_path / "pool.json")])

    told = [line for line in capsys.readouterr().err.splitlines() if "ignored: spec" in line]
    assert len(told) == 1
    assert " and 8 more: " in told[0]


def test_gpustack(tmp_path, capsys):
    model = {"name": "qwen", "source": "local_path", "local_path": "/m", "backend": "vllm"}
    (tmp_path / "models.json").write_text(json.dumps({"items": [model], "pagination": {}}))
    assert run(["import", "gpustack", str(tmp_path / "models.json"), WORKERS]) == 0

    assert [each["kind"] for each in yaml.safe_load_all(capsys.readouterr().out)] == ["Workload", "Cluster"]


def test_errors_name_the_place_and_the_next_step(tmp_path, capsys):
    assert run(["convert"]) == 1
    assert capsys.readouterr().err == (
        "error: bayplan convert: FILE is missing; name it: -f FILE (see bayplan convert --help)\n"
    )
    assert run(["import", "gpustack", GUIDE]) == 1
    assert "a AgentPool is no model, worker or instance of GPUStack" in capsys.readouterr().err
    (tmp_path / "empty.yaml").write_text("")
    assert run(["convert", str(tmp_path / "empty.yaml")]) == 1
    assert "there is nothing to convert in it" in capsys.readouterr().err


def test_what_gpustack_knows_can_be_applied(command):
    said = command("import", "gpustack", WORKERS, "--apply")

    assert (said.status, said.out) == (0, "cluster.bayplan.io/default created\n")
    assert command("gpus", "-o", "json").json["total"]["cards"] > 0
    assert command("import", "gpustack", WORKERS, "--apply").out == "cluster.bayplan.io/default unchanged\n"


def test_without_a_server_nothing_is_applied(alone):
    said = alone("import", "gpustack", WORKERS, "--apply")

    assert said.status == 1
    assert "start one: bayplan up" in said.err

"""`-f` and `--cluster` take folders: which files are read, in which order, and what is told."""

import json

import pytest

from bayplan.cli.folders import files_of
from bayplan.cli.main import run
from bayplan.framework.errors import InputError
from unit.cli.planning import CLUSTER, job

TREE = ("b.yaml", "a.yml", "sub/c.json", "sub/deep/d.YAML", "notes.txt", ".hidden.yaml", ".git/e.yaml")


@pytest.fixture
def tree(tmp_path):
    for number, name in enumerate(TREE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(job(f"w{number}")))
    return tmp_path


def test_a_folder_gives_its_documents_sorted_without_hidden_ones(tree):
    found = [named.name.removeprefix(f"{tree}/") for named in files_of([str(tree)])]

    assert found == ["a.yml", "b.yaml", "sub/c.json", "sub/deep/d.YAML"]


def test_files_and_stdin_stay_as_they_are_named(tree):
    found = list(files_of(["-", str(tree / "b.yaml"), "none.yaml"]))

    assert [(each.name, each.in_folder) for each in found] == [
        ("-", False), (str(tree / "b.yaml"), False), ("none.yaml", False),
    ]  # fmt: skip


@pytest.mark.parametrize("names", [(), ("notes.txt", ".hidden.yaml")])
def test_a_folder_without_documents_is_an_error(names, tmp_path):
    for name in names:
        (tmp_path / name).write_text("a: 1")

    with pytest.raises(InputError, match=r"there is no .yaml, .yml or .json file in this folder"):
        list(files_of([str(tmp_path)]))


def test_a_plan_of_a_folder(tree, tmp_path, capsys):
    (tmp_path / "values.yaml").write_text("image: x\n")
    cluster = tmp_path / "cluster.txt"
    cluster.write_text(json.dumps(CLUSTER))

    code = run(["plan", "-f", str(tree), "--cluster", str(cluster), "-o", "json"])

    out, err = capsys.readouterr()
    assert code == 0
    assert [each["workload"] for each in json.loads(out)["items"]] == ["w1", "w0", "w2", "w3"]
    assert f"{tree}/values.yaml:1: it has no kind, and looks like no workload; the document is ignored" in err


def test_a_cluster_in_a_folder_beside_its_workloads(tmp_path, capsys):
    (tmp_path / "cluster.yaml").write_text(json.dumps(CLUSTER))
    (tmp_path / "job.yaml").write_text(json.dumps(job()))

    code = run(["plan", "-f", str(tmp_path / "job.yaml"), "--cluster", str(tmp_path), "-o", "json"])

    out, err = capsys.readouterr()
    assert (code, json.loads(out)["verdict"]) == (0, "fits")
    assert "job.yaml:1: a Workload is not a cluster; the document is ignored" in err


def test_broken_text_in_a_folder_is_an_error_with_its_place(tmp_path, capsys):
    (tmp_path / "a.yaml").write_text("a: [1")

    code = run(["plan", "-f", str(tmp_path), "--cluster", "c.yaml"])

    assert code == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}/a.yaml:")


def test_a_large_list_is_read_as_one_document(tmp_path, capsys):
    many = {"kind": "List", "items": [{"kind": "Workload", "apiVersion": "bayplan.io/v1alpha1", **job(f"w{n}"),
                                       "note": "x" * 2_000} for n in range(1_000)]}  # fmt: skip
    (tmp_path / "list.json").write_text(json.dumps(many))
    (tmp_path / "c.json").write_text(json.dumps(CLUSTER))

    code = run(["plan", "-f", str(tmp_path / "list.json"), "--cluster", str(tmp_path / "c.json"), "-o", "json"])

    assert (tmp_path / "list.json").stat().st_size > 2**20
    assert (code, len(json.loads(capsys.readouterr().out)["items"])) == (3, 1_000)

import io
import sys

import pytest

from bayplan.cli.files import read_cluster_files, read_config_file, read_once, read_time, read_workload_files
from bayplan.framework.errors import InputError

TIMES = {
    "seconds": ("12.5", 12.5),
    "zulu": ("1970-01-01T00:01:00Z", 60.0),
    "an offset": ("1970-01-01T01:01:00+01:00", 60.0),
    "none": (None, None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TIMES.values(), ids=TIMES)
def test_a_time(text, expected):
    assert read_time(text) == expected


WRONG_TIMES = {
    "a word": ("yesterday", "'yesterday' is no time; write 2026-01-31T12:00:00Z, or seconds since 1970"),
    "no zone": ("2026-01-31T12:00:00", "has no time zone; write 2026-01-31T12:00:00Z, or an offset such as"),
    "not a number": ("nan", "'nan' is no time"),
    "endless": ("inf", "'inf' is no time"),
    "out of all bounds": ("1e300", "'1e300' is no time"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG_TIMES.values(), ids=WRONG_TIMES)
def test_what_is_no_time(text, expected):
    with pytest.raises(InputError, match=expected) as raised:
        read_time(text)

    assert (raised.value.place, raised.value.code) == ("--now", "usage")


WRONG_CLUSTERS = {
    "nothing": ("", "there is no document in it; write a Cluster with workers"),
    "a workload": ("kind: Workload\nspec: {}", "a Workload is not a cluster; hand it in with -f"),
    "a workload that does not say so": ("spec: {}", "a Workload is not a cluster; hand it in with -f"),
    "a configuration": ("kind: SchedulerConfig", "a scheduler configuration is not a cluster; hand it in"),
    "pods alone": ("kind: PodList\nitems: []", "a PodList describes no workers and no servers; hand in"),
    "something else": ("kind: Service", "a Service describes no workers"),
    "no yaml": ("a:\n\tb: 1", "not valid YAML"),
    "not text": (b"\x00\xff", "this is a binary file"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG_CLUSTERS.values(), ids=WRONG_CLUSTERS)
def test_what_is_no_cluster_is_refused_with_its_place(text, expected, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(InputError, match=expected) as raised:
        read_cluster_files([str(file)], "bayplan plan")

    assert raised.value.place.startswith(str(file))


def test_pods_beside_nodes_are_an_inventory(tmp_path):
    (tmp_path / "c.yaml").write_text("kind: PodList\nitems: []\n---\nkind: NodeList\nitems: []\n")

    assert len(read_cluster_files([str(tmp_path / "c.yaml")], "bayplan plan")) == 2


def test_documents_come_in_the_order_of_the_files(tmp_path):
    (tmp_path / "a").write_text("n: 1\n---\nn: 2\n")
    (tmp_path / "b").write_text("n: 3\n")

    documents = read_workload_files([str(tmp_path / "b"), str(tmp_path / "a")], "bayplan plan")

    assert [each.data["n"] for each in documents] == [3, 1, 2]


MISSING = {
    "no file": (["none"], "none: there is no such file; check the path, or use - for standard input"),
    "a folder": (["."], r"\.: there is no .yaml, .yml or .json file in this folder; name a folder with documents"),
    "no flag": ([], "bayplan plan: the workload is missing; name it: -f FILE"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), MISSING.values(), ids=MISSING)
def test_a_workload_that_is_not_there(files, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InputError, match=expected):
        read_workload_files(files, "bayplan plan")


@pytest.mark.parametrize("groups", [(["-", "-"],), (["-"], ["-"]), (["a"], ["-"], "-")])
def test_stdin_is_read_for_one_thing_only(groups):
    with pytest.raises(InputError, match="stdin can be read only once"):
        read_once(*groups)


def test_files_may_stand_twice():
    read_once(["a", "a"], None, "-")


def test_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"n: 1\n")))

    (document,) = read_workload_files(["-"], "bayplan plan")

    assert (document.data, document.source) == ({"n": 1}, "<stdin>")


def test_a_closed_stdin_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(InputError, match="<stdin>: stdin is closed; name a file"):
        read_workload_files(["-"], "bayplan plan")


def test_no_configuration_is_none():
    assert read_config_file(None) is None


def test_the_warnings_of_a_configuration_are_told(tmp_path, capsys):
    file = tmp_path / "config.yaml"
    file.write_text(
        "plugins: [{type: sample}, {type: max-score}, {type: random}]\n"
        "schedulingProfiles: [{name: p, plugins: [{pluginRef: sample}, {pluginRef: max-score}]}]\n"
    )

    assert read_config_file(str(file)).data["plugins"]
    assert capsys.readouterr().err.startswith(f"warning: {file}:1: plugins[2]")

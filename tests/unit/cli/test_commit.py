import os
import stat

import pytest

from bayplan.cli.commit import Target, commit
from bayplan.framework.errors import ConflictError, InputError
from bayplan.library.plan import planned
from bayplan.library.read_cluster import read_cluster
from bayplan.manifests.reader import Document, read_file
from unit.cli.planning import cluster, job, no_room, share


@pytest.fixture
def planner():
    return planned([job("a"), share("b")], cluster()).planner.result()


def read_again(path):
    (document,) = read_file(path)
    return read_cluster(document.data)


@pytest.mark.parametrize("name", ["c.yaml", "c.yml", "c.json", "cluster"])
def test_what_is_written_reads_as_the_same_cluster(name, planner, tmp_path):
    commit(planner, Target.of(str(tmp_path / name)))

    again = read_again(tmp_path / name)
    assert [each["workload"] for each in again["bookings"]] == ["old", "a", "b"]
    assert again["workers"] == read_cluster(cluster())["workers"]
    assert again["warnings"] == []


def test_odd_names_survive(tmp_path):
    odd = {"name": "ä: 'b' # \"c\"", "labels": {"yes": "no", "1": "null", "π": "- x"}, "gpus": []}
    planner = planned({"metadata": {"name": "m"}, "spec": {}}, cluster(workers=[odd], bookings=[])).planner.result()

    commit(planner, Target.of(str(tmp_path / "c.yaml")))

    (worker,) = read_again(tmp_path / "c.yaml")["workers"]
    assert (worker["name"], worker["labels"]) == (odd["name"], odd["labels"])


def test_a_stranger_of_the_same_name_stays(tmp_path):
    """The Pod of another namespace is no replica of this workload, however few replicas are wanted."""
    held = [{"workload": "a", "namespace": "x", "worker": "big", "gpus": [{"index": n}], "replica": n} for n in (0, 1)]
    planner = planned(job("a", replicas=0), cluster(bookings=held)).planner.result()

    commit(planner, Target.of(str(tmp_path / "c.yaml")))

    again = read_again(tmp_path / "c.yaml")["bookings"]
    assert [(each["workload"], each["namespace"], each["replica"]) for each in again] == [("a", "x", 0), ("a", "x", 1)]


def test_the_mode_of_the_file_stays(planner, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("old")
    path.chmod(0o640)

    commit(planner, Target.of(str(path)))

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_others_have(planner, tmp_path):
    (tmp_path / "other").write_text("")

    commit(planner, Target.of(str(tmp_path / "c.yaml")))

    assert (tmp_path / "c.yaml").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_stays_a_link_and_its_file_is_replaced(planner, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "c.yaml").write_text("old")
    (tmp_path / "link.yaml").symlink_to("inner/c.yaml")

    commit(planner, Target.of(str(tmp_path / "link.yaml")))

    assert (tmp_path / "link.yaml").is_symlink()
    assert read_again(tmp_path / "inner" / "c.yaml")["bookings"]


def test_a_reader_that_holds_the_old_file_still_reads_the_old_one(planner, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("old")
    with path.open() as held:
        commit(planner, Target.of(str(path)))

        assert held.read() == "old"


def test_a_failing_write_loses_nothing_and_leaves_nothing(planner, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("old")

    with no_room(), pytest.raises(InputError, match="it cannot be written: File too large; what was there is"):
        commit(planner, Target.of(str(path)))

    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["c.yaml"]  # noqa: PTH208 (names alone)


CHANGES = {
    "written": lambda path: path.write_text("newer"),
    "gone": lambda path: path.unlink(),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(change, planner, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("old")
    target = Target.of(str(path))
    change(path)
    left = sorted((each.name, each.read_text()) for each in tmp_path.iterdir())

    with pytest.raises(ConflictError, match="changed while the plan was made; nothing was written; plan again"):
        commit(planner, target)

    assert sorted((each.name, each.read_text()) for each in tmp_path.iterdir()) == left


def test_a_file_that_appeared_meanwhile_is_not_overwritten(planner, tmp_path):
    target = Target.of(str(tmp_path / "c.yaml"))
    (tmp_path / "c.yaml").write_text("somebody's")

    with pytest.raises(ConflictError):
        commit(planner, target)

    assert (tmp_path / "c.yaml").read_text() == "somebody's"


WRONG = {
    "a folder": (".", "is no regular file"),
    "a device": ("/dev/null", "is no regular file"),
    "in no folder": ("no/such/c.yaml", "there is no folder"),
    "a loop": ("loop", "cannot be reached"),
    "no name at all": ("a\0b", "cannot be reached"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), WRONG.values(), ids=WRONG)
def test_a_target_that_cannot_work_is_told_at_once(name, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(InputError, match=expected) as raised:
        Target.of(name)

    assert raised.value.place == "--commit-to"


def test_fields_that_placement_does_not_look_at_are_kept(planner, tmp_path):
    source = {"kind": "Cluster", "metadata": {"name": "prod"}, "servers": [{"name": "s"}], "workers": [], "status": {}}

    commit(planner, Target.of(str(tmp_path / "c.yaml")), [Document(source, "c"), Document({"kind": "Node"}, "n")])

    (document,) = read_file(tmp_path / "c.yaml")
    assert list(document.data)[:4] == ["apiVersion", "kind", "metadata", "servers"]
    assert document.data["servers"] == [{"name": "s"}]
    assert "status" not in document.data
    assert document.data["workers"]

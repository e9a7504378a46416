import io
import json
import sys

import pytest
import yaml

from bayplan.cli.main import run
from unit.cli.planning import CLUSTER, Folder, cluster, job, no_room, share


@pytest.fixture
def folder(tmp_path, capsys):
    return Folder(tmp_path, capsys)


CODES = {
    "it fits": ([job()], 0),
    "it waits": ([job(count=4)], 2),
    "it never fits": ([job(count=5)], 2),
    "a part fits": ([job(count=1, replicas=9)], 3),
    "all of several fit": ([job("a"), job("b")], 0),
    "one of several fits": ([job("a"), job("b", 9)], 3),
    "none of several fits": ([job("a", 9), job("b", 9)], 2),
    "nothing is missing": ([share("old", "60Gi")], 0),
}  # fmt: skip


@pytest.mark.parametrize(("workloads", "expected"), CODES.values(), ids=CODES)
def test_the_exit_code_says_how_much_fits(workloads, expected, folder):
    code, document = folder.document("plan", *workloads)

    assert code == expected
    assert document["kind"] == ("Plan" if len(workloads) == 1 else "PlanList")


def test_each_stands_on_what_the_former_left(folder):
    _, document = folder.document("plan", job("a", 3), job("b", 3))

    assert [each["verdict"] for each in document["items"]] == ["fits", "waiting"]


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_people_see_replicas_options_and_that_nothing_is_reserved(folder):
    _, out, err = folder.call("plan", job(count=2))

    shown = lines(out)
    assert shown[0] == "job: fits, 1 of 1 replica placed"
    assert shown[1] == "REPLICA TIER WORKER GPUS GiB PER CARD TP x PP SCORE USD/H"
    assert shown[2] == "0 as-requested big cuda:1-2 80.0 - 0.667 12.50"
    assert any(line.startswith("* as-requested big 2 ") for line in shown)
    assert "This is a feasibility answer at this revision, not a reservation." in shown
    assert err == ""


def test_wide_shows_models_and_host(folder):
    _, out, _ = folder.call("plan", job(cpu=4, ram="8Gi"), flags=["-o", "wide"])

    assert "MODEL RAM GiB CPU CORES" in lines(out)[1]
    assert lines(out)[2].endswith("8.0 4")


def test_a_replica_on_several_workers_has_a_line_for_each(folder):
    pair = cluster(workers=[{"name": name, "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}} for name in "ab"])
    _, out, _ = folder.call("plan", job(count=2, distributed=True), on={**pair, "bookings": []})

    rows = [line.split() for line in out.splitlines() if " cuda:0 " in line]
    assert sorted(row[2] if row[0] == "0" else row[0] for row in rows) == ["a", "b"]


def test_engine_arguments_are_told_once_for_equal_replicas(folder):
    model = {"weights": "10Gi", "kvCache": "1Gi", "overhead": "1Gi"}
    served = {"metadata": {"name": "m"}, "spec": {"replicas": 2, "model": model, "backend": {"name": "vllm"}}}
    small = {"name": "two", "gpus": {"count": 2, "model": "L40S", "memory": "48Gi"}}

    _, out, _ = folder.call("plan", served, on={"kind": "Cluster", "workers": [small]})

    assert [line for line in out.splitlines() if line.startswith("engine arguments")] == [
        "engine arguments: --gpu-memory-utilization=0.2575 --kv-cache-memory-bytes=1073741824"
    ]


def test_what_blocks_is_told_with_numbers_a_next_step_and_the_way_to_ask_why(folder):
    code, out, _ = folder.call("plan", job(count=4))

    assert code == 2
    assert lines(out)[0].startswith("job: waiting, 0 of 1 replica placed: it would fit this cluster if every booking")
    (row,) = [line for line in lines(out) if line.startswith("gpu-count-short")]
    assert row.startswith("gpu-count-short 2 needs 4 ")
    assert "ask for fewer cards, wait for some to become free, or add a worker" in row
    assert f"bayplan why -f {folder.path}/0.json --cluster {folder.path}/cluster.json" in out


def test_the_way_to_ask_why_names_a_workload_that_is_not_the_last(folder):
    _, out, _ = folder.call("plan", job("huge", 16), job("small"))

    assert "To see every worker, and what would make huge fit:\n  bayplan why" in out
    assert "--workload huge" in out


def test_a_name_cannot_steer_the_terminal(folder):
    code, out, err = folder.call("plan", job("a\x1b[31mb"))

    assert (code, out) == (1, "")
    assert "the control character U+001B in a text" in err
    assert "\x1b" not in err


def test_waiting_and_infeasible_are_told_apart(folder):
    _, out, _ = folder.call("plan", job(count=5))

    assert "infeasible, 0 of 1 replica placed: it would not fit this cluster even if every booking were gone" in out


def test_replicas_that_are_too_many_are_listed_for_removal(folder):
    held = [{"workload": "job", "replica": number, "worker": "big", "gpus": [{"index": number}]} for number in (1, 2)]

    _, out, _ = folder.call("plan", job(), on=cluster(bookings=held))

    assert lines(out)[0] == "job: fits, nothing to add"
    assert "Replicas to remove" in out


def test_files_may_stand_without_a_flag_and_hold_several_documents(folder):
    several = folder.write("several.json", job("a"))
    (folder.path / "two.yaml").write_text(f"{json.dumps(job('b'))}\n---\n{json.dumps(job('c'))}\n")

    code = run(["plan", several, str(folder.path / "two.yaml"), "--cluster", folder.write("c.json", CLUSTER), "-ojson"])

    items = json.loads(folder.capsys.readouterr().out)["items"]
    assert (code, [each["workload"] for each in items]) == (0, ["a", "b", "c"])


def test_a_workload_from_stdin(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(job("piped")).encode())))

    assert run(["plan", "-f", "-", "--cluster", folder.write("c.json", CLUSTER), "-o", "yaml"]) == 0
    assert yaml.safe_load(folder.capsys.readouterr().out)["workload"] == "piped"


def test_warnings_go_to_stderr_and_name_the_workload_where_there_are_several(folder):
    odd = {**share("odd"), "spec": {"gpus": {"memory": "1Gi"}, "gpuIds": ["nowhere:cuda:0", "big:cuda:1"]}}

    _, out, err = folder.call("plan", odd, job(), flags=["-o", "json"])

    assert err == "warning: odd: gpuIds: nowhere:cuda:0 names no card of this cluster and is left out\n"
    assert json.loads(out)["kind"] == "PlanList"


def test_a_cluster_without_workers_is_answered_and_wondered_at(folder):
    code, _, err = folder.call("plan", job(), on={"kind": "Cluster", "workers": []})

    assert code == 2
    assert err == "warning: the cluster has no workers and no servers; see bayplan inventory --help for what is read\n"


CONFIG = {
    "scheduler": "placement",
    "plugins": [{"type": "spread"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "mine", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]}],
}


def test_a_profile_of_a_configuration_is_a_strategy(folder):
    config = folder.write("config.json", CONFIG)

    code, document = folder.document("plan", share(strategy="mine"), flags=["--config", config])

    assert (code, document["replicas"][0]["workers"][0]["worker"]) == (0, "small")


def test_seed_and_now_reach_the_plan(folder):
    _, document = folder.document("plan", job(), flags=["--seed", "7", "--now", "2026-01-31T12:00:00+01:00"])

    assert document["seed"] == 7


PROBLEMS = {
    "no workload": (["--cluster", "c.json"], "error: bayplan plan: the workload is missing; name it: -f FILE"),
    "no cluster": (["-f", "w.json"], "error: data: no server has run with this folder; start one: bayplan up"),
    "no such strategy": (
        ["-f", "odd.json", "--cluster", "c.json"],
        "error: workload share: strategy: no profile is called 'sprad'; did you mean 'spread'?",
    ),
    "a configuration of another scheduler": (
        ["-f", "w.json", "--cluster", "c.json", "--config", "routing.json"],
        "error: routing.json:1: scheduler: is about routing, not about placement; ",
    ),
    "a broken configuration": (
        ["-f", "w.json", "--cluster", "c.json", "--config", "broken.json"],
        "error: broken.json:1: plugins[0].type: no plugin is called 'spred'; did you mean 'spread'?",
    ),
    "a seed that is no number": (
        ["-f", "w.json", "--cluster", "c.json", "--seed", "x"],
        'error: bayplan plan: invalid value for --seed: unable to convert "x" into int; ',
    ),
    "nowhere to write": (
        ["-f", "w.json", "--cluster", "c.json", "--commit-to", "no/such/file"],
        "error: --commit-to: there is no folder ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_told_with_its_place_and_a_next_step(words, expected, folder, monkeypatch):
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("BAYPLAN_DATA", "data")
    monkeypatch.delenv("BAYPLAN_SERVER", raising=False)
    folder.write("c.json", CLUSTER)
    folder.write("w.json", job())
    folder.write("odd.json", share(strategy="sprad"))
    folder.write("routing.json", {**CONFIG, "scheduler": "routing"})
    folder.write("broken.json", {**CONFIG, "plugins": [{"type": "spred"}, {"type": "max-score"}]})

    assert run(["plan", *words]) == 1

    out, err = folder.capsys.readouterr()
    assert out == ""
    assert err.startswith(expected)


def bookings(file):
    with open(file) as stream:  # noqa: PTH123 (a test's own file)
        return [(each["workload"], each["replica"], each["worker"]) for each in yaml.safe_load(stream)["bookings"]]


OLD = ("old", 0, "big")


def test_a_plan_is_written_and_the_next_one_stands_on_it(folder):
    target = folder.path / "next.yaml"

    assert folder.call("plan", job("a", 3), flags=["--commit-to", str(target)])[0] == 0
    assert bookings(target) == [OLD, ("a", 0, "big")]
    assert run(["plan", "-f", folder.write("b.json", job("b", 3)), "--cluster", str(target)]) == 2
    assert run(["plan", "-f", folder.write("a.json", job("a", 3)), "--cluster", str(target), "-ojson"]) == 0
    assert '"placed": 0' in folder.capsys.readouterr().out


WRITTEN = {
    "what fits": ([job("a")], [OLD, ("a", 0, "small")]),
    "the part that was placed": ([job("a", 3), job("b", 3)], [OLD, ("a", 0, "big")]),
    "nothing where nothing was placed": ([job("a", 9)], None),
    "nothing to add is still a cluster": ([share("old", "60Gi")], [OLD]),
}  # fmt: skip


@pytest.mark.parametrize(("workloads", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written(workloads, expected, folder):
    target = folder.path / "next.yaml"

    folder.call("plan", *workloads, flags=["--commit-to", str(target)])

    assert (bookings(target) if target.exists() else None) == expected


def test_the_input_itself_may_be_written(folder):
    source = folder.path / "cluster.json"

    code, out, _ = folder.call("plan", job("a"), flags=["--commit-to", str(source)])

    assert code == 0
    assert f"{source}: written; replicas added: 1, removed: 0." in out
    assert bookings(source) == [OLD, ("a", 0, "small")]


def test_removals_are_carried_out_in_what_is_written(folder):
    held = [{"workload": "job", "replica": number, "worker": "big", "gpus": [{"index": number}]} for number in (1, 2)]
    target = folder.path / "next.yaml"

    folder.call("plan", job(), on=cluster(bookings=held), flags=["--commit-to", str(target)])

    assert len(bookings(target)) == 1


def test_who_is_pushed_aside_is_shown_and_written(folder):
    held = [{"workload": "batch", "replica": 0, "worker": "small", "gpus": [{"index": 0}], "priority": 3}]
    urgent = job(gpus={"models": ["RTX-4090"]}, priority=9, preemption="lower-priority")
    target = folder.path / "next.yaml"

    code, out, _ = folder.call("plan", urgent, on=cluster(bookings=held), flags=["--commit-to", str(target)])

    shown = lines(out)
    assert code == 0
    assert "Bookings that would have to be removed first" in shown
    assert any(line.startswith("batch 0 3 small cuda:0 priority 3 < 9") for line in shown)
    assert f"{target}: written; replicas added: 1, removed: 0, preempted: 1." in shown
    assert bookings(target) == [("job", 0, "small")]


def test_nothing_is_printed_and_nothing_lost_where_the_writing_fails(folder):
    target = folder.path / "next.yaml"
    target.write_text("old")

    words = folder.words("plan", job(), flags=["--commit-to", str(target)])

    with no_room():
        code = run(words)

    out, err = folder.capsys.readouterr()
    assert (code, out) == (1, "")
    assert f"{target}: it cannot be written: File too large; what was there is untouched; check the folder" in err
    assert target.read_text() == "old"
    assert not list(folder.path.glob(".next*"))

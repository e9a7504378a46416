import pytest

from bayplan.cli.main import run
from unit.cli.planning import CLUSTER, Folder, cluster, job, share


@pytest.fixture
def folder(tmp_path, capsys):
    return Folder(tmp_path, capsys)


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


SENTENCES = {
    "fits": (job(), "job: fits"),
    "partly": (job(replicas=9), "job: partly: some replicas fit, not all"),
    "waiting": (job(count=4), "job: waiting: it would fit this cluster if every booking were gone, but not now"),
    "infeasible": (job(count=5), "job: infeasible: it would not fit this cluster even if every booking were gone"),
}  # fmt: skip


@pytest.mark.parametrize(("workload", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_there_is_always_an_answer_and_it_is_a_sentence(workload, expected, folder):
    code, out, _ = folder.call("why", workload)

    assert (code, out.splitlines()[0]) == (0, expected)


def test_programs_get_every_worker(folder):
    _, document = folder.document("why", job(count=4))

    assert (document["kind"], document["verdict"]) == ("Why", "waiting")
    assert sorted(each["worker"] for each in document["workers"]) == ["big", "small"]


def test_every_failing_check_is_told_with_its_numbers(folder):
    _, out, _ = folder.call("why", job(count=4, ram="100Gi"))

    shown = lines(out)
    assert shown[2] == "2 of 2 workers cannot take it"
    assert shown[3] == "WORKER CHECK NEEDED FREE SHORT UNIT WHY"
    assert shown[4].startswith("big gpu-count-short 4 3 1 cards needs 4 ")
    assert shown[5].startswith("small gpu-count-short 4 1 3 cards needs 4 ")
    assert shown[6].startswith("ram-short 100.0 64.0 36.0 GiB needs 100.0 GiB of RAM")


def test_a_feasible_worker_shows_what_its_score_is_made_of(folder):
    _, out, _ = folder.call("why", share(cpu=1))

    rows = [line for line in lines(out) if " one-gpu " in line or " as-requested " in line]
    assert rows[0].split()[0] == "big"
    assert "binpack 0." in rows[0]


def test_workers_stand_in_the_order_in_which_they_would_be_taken(folder):
    preferring = job(gpus={"models": ["RTX-4090", "A100"]})

    _, out, _ = folder.call("why", preferring)
    _, plan = folder.document("plan", preferring)

    first, second = [line for line in lines(out) if " as-requested " in line]
    assert (first.split()[0], second.split()[0]) == ("small", "big")
    assert "first model-preference 1.000, then binpack " in first
    assert plan["replicas"][0]["workers"][0]["worker"] == "small"


def fleet(count):
    return cluster(workers=[{**CLUSTER["workers"][1], "name": "desk", "count": count}], bookings=[])


def test_workers_that_answer_alike_share_a_line(folder):
    _, out, _ = folder.call("why", job(count=2), on=fleet(6))

    (row,) = [line for line in lines(out) if "gpu-count-short" in line]
    assert row.startswith("6 workers: desk-")
    assert " and 3 more gpu-count-short 2 1 1 " in row


def test_wide_tells_each_by_itself(folder):
    _, out, _ = folder.call("why", job(count=2), on=fleet(6), flags=["-o", "wide"])

    rows = [line.split()[0] for line in lines(out) if "gpu-count-short" in line]
    assert sorted(rows) == [f"desk-{number}" for number in range(6)]


def test_a_large_fleet_of_different_workers_is_cut_and_says_so(folder):
    desks = [
        {"name": f"d{number}", "gpus": {"count": 1, "model": "L40S", "memory": f"{number + 1}Gi"}}
        for number in range(60)
    ]

    _, out, _ = folder.call("why", share(memory="70Gi"), on=cluster(workers=desks, bookings=[]))

    assert sum("gpu-memory-short" in line for line in out.splitlines()) == 40
    assert "... and 20 more workers, in 20 lines; -o wide shows each" in lines(out)
    assert lines(out)[4].startswith("d59 ")


def test_one_worker_alone(folder):
    _, document = folder.document("why", job(count=4), flags=["--worker", "small"])

    assert [each["worker"] for each in document["workers"]] == ["small"]


def test_one_worker_alone_is_named_and_not_counted(folder):
    _, out, _ = folder.call("why", job(count=4), flags=["--worker", "small"])

    assert lines(out)[2] == "small cannot take it"


def test_an_unknown_worker_is_answered_with_the_nearest(folder):
    code, out, err = folder.call("why", job(), flags=["--worker", "smal"])

    assert (code, out, err) == (1, "", "error: worker: there is no worker 'smal'; did you mean 'small'?\n")


def test_the_last_of_several_is_asked_about_on_what_the_former_left(folder):
    _, alone = folder.document("why", job("b", 3))
    _, after = folder.document("why", job("a", 3), job("b", 3))

    assert (alone["verdict"], after["workload"], after["verdict"]) == ("fits", "b", "waiting")


def test_a_workload_is_asked_about_by_its_name_on_what_the_former_left(folder):
    _, first = folder.document("why", job("a", 3), job("b", 3), flags=["--workload", "a"])
    _, second = folder.document("why", job("a", 3), job("b", 3), job("c"), flags=["--workload", "default/b"])

    assert (first["workload"], first["verdict"]) == ("a", "fits")
    assert (second["workload"], second["verdict"]) == ("b", "waiting")


def test_an_unknown_workload_is_answered_with_the_nearest(folder):
    code, out, err = folder.call("why", job("trainer"), job("b"), flags=["--workload", "trainr"])

    assert (code, out, err) == (1, "", "error: workload: there is no workload 'trainr'; did you mean 'trainer'?\n")


def test_replicas_that_find_no_place_are_named(folder):
    _, out, _ = folder.call("why", job(replicas=5))

    assert lines(out)[1] == "4 of 5 replicas can be placed; no place for job/4"


def test_a_cluster_without_workers(folder):
    code, out, _ = folder.call("why", job(), on={"kind": "Cluster", "workers": []})

    assert code == 0
    assert "the cluster has no workers" in out


def test_without_files_nothing_is_asked(capsys):
    assert run(["why"]) == 1
    assert capsys.readouterr().err.startswith("error: bayplan why: the workload is missing; name it: -f FILE")


def test_who_holds_the_cards_of_a_worker_that_refuses_is_told(folder):
    _, out, _ = folder.call("why", job(count=4))

    shown = lines(out)
    assert "WORKER HELD BY GPUS GiB PRIORITY" in shown
    assert "big old#0 cuda:0 60.0 0" in shown

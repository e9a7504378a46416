import pytest

from unit.cli.planning import CLUSTER, Folder, cluster


@pytest.fixture
def folder(tmp_path, capsys):
    return Folder(tmp_path, capsys)


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_people_see_models_sets_shared_cards_and_fragmentation(folder):
    code, out, err = folder.call("gpus")

    assert (code, err) == (0, "")
    shown = lines(out)
    assert shown[0] == "MODEL GiB CARDS WHOLE SHARED HELD LARGEST SET WORKERS WITH 1/2/4/8 FREE GiB STRANDED GiB"
    assert shown[1] == "A100-SXM4-80GB 80.0 4 3 1 0 3 1/1/0/0 260.0 20.0"
    assert shown[2] == "RTX-4090 24.0 1 1 0 0 1 1/0/0/0 24.0 0.0"
    assert shown[3] == "all 5 4 1 0 3 2/1/0/0 284.0 20.0"
    assert "A100-SXM4-80GB 3 3 1 big" in shown
    assert "RTX-4090 1 - 1 small" in shown
    assert "big cuda:0 A100-SXM4-80GB 20.0 80.0 100" in shown
    assert shown[-1].startswith("Fragmentation: 7% of the free memory (20.0 of 284.0 GiB) is on shared cards")


def test_programs_get_the_same_numbers(folder):
    _, document = folder.document("gpus")

    assert document["kind"] == "Gpus"
    assert document["total"]["workers_with"] == {"1": 2, "2": 1, "4": 0, "8": 0}
    assert document["models"][0]["sets"] == [{"cards": 3, "nvlink_islands": [3], "workers": ["big"]}]


def test_wide_shows_where_the_largest_sets_are(folder):
    racked = cluster(workers=[{**each, "rack": "k1"} for each in CLUSTER["workers"]])

    _, out, _ = folder.call("gpus", on=racked, flags=["-o", "wide"])

    assert lines(out)[3].endswith("rack 4")


ISLANDS = {
    "a switch": ("nvswitch", "8"),
    "pairs": ("nvlink-pairs", "2 + 2 + 2 + 2"),
    "no nvlink": ("pcie", "none"),
    "not described": (None, "unknown"),
}  # fmt: skip


@pytest.mark.parametrize(("links", "expected"), ISLANDS.values(), ids=ISLANDS)
def test_what_joins_the_cards_of_a_set(links, expected, folder):
    gpus = {"count": 8, "model": "A100-SXM4-80GB", "memory": "80Gi"}
    worker = {"name": "a", "gpus": gpus, **({"links": links} if links else {})}

    _, out, _ = folder.call("gpus", on={"kind": "Cluster", "workers": [worker]})

    assert f"A100-SXM4-80GB 8 {expected} 1 a" in lines(out)


def many_shared():
    worker = {"name": "w", "count": 30, "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}}
    held = [
        {"workload": f"m{n}", "replica": 0, "worker": f"w-{n}", "gpus": [{"index": 0, "memory": 1}]} for n in range(30)
    ]
    return {"kind": "Cluster", "workers": [worker], "bookings": held}


@pytest.mark.parametrize(("output", "expected"), [("table", 20), ("wide", 30)])
def test_many_shared_cards_are_cut_unless_asked_for(output, expected, folder):
    _, out, _ = folder.call("gpus", on=many_shared(), flags=["-o", output])

    assert sum(" cuda:0 " in line for line in out.splitlines()) == expected
    assert ("the 20 with the most free; -o wide shows all" in out) == (expected == 20)


EMPTY = {
    "no workers": ([], "the cluster has no cards"),
    "no cards": ([{"name": "a"}], "the cluster has no cards"),
    "nothing free": (
        [{"name": "a", "status": "cordoned", "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}}],
        "Fragmentation: nothing is free.",
    ),
    "memory is not known": (
        [{"name": "a", "gpus": {"count": 1}}],
        "Fragmentation: unknown, because the memory of the free cards is not known.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "expected"), EMPTY.values(), ids=EMPTY)
def test_where_nothing_is_free_that_is_said(workers, expected, folder):
    code, out, _ = folder.call("gpus", on={"kind": "Cluster", "workers": workers})

    assert (code, out.splitlines()[-1]) == (0, expected)


def test_instances_of_no_known_card_are_shown(folder):
    sliced = {"name": "a", "migSlices": {"1g.10gb": 3}, "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}}

    _, out, _ = folder.call("gpus", on={"kind": "Cluster", "workers": [sliced]})

    assert "1g.10gb 0 0 3" in lines(out)


def test_without_a_cluster_and_a_server_both_ways_are_told(alone):
    said = alone("gpus")

    assert said.status == 1
    assert "start one: bayplan up" in said.err
    assert said.err.endswith("or describe the cluster in a file: --cluster FILE\n")


def test_holders_says_who_holds_cards_and_which_cannot_be_used(folder):
    broken = {"name": "c", "gpus": [{"model": "T4", "memory": "16Gi", "health": "unhealthy"}]}
    closed = {"name": "d", "status": "cordoned", "gpus": {"count": 2, "model": "T4", "memory": "16Gi"}}
    busy = cluster(workers=[*CLUSTER["workers"], broken, closed])
    busy["bookings"] = [
        *busy["bookings"],
        {"namespace": "team-a", "workload": "old", "replica": 1, "worker": "big", "gpus": [{"index": 1}, {"index": 2}]},
    ]

    _, out, _ = folder.call("gpus", on=busy, flags=["--holders"])

    shown = lines(out)
    assert "WORKER HELD BY GPUS GiB PRIORITY" in shown
    assert "big old#0 cuda:0 60.0 0" in shown
    assert "team-a/old#1 cuda:1-2 160.0 0" in shown
    assert "c cuda:0 the card is unhealthy -" in shown
    assert "d cuda:0-1 the worker is cordoned -" in shown


def test_programs_get_holders_only_where_they_ask(folder):
    _, plain = folder.document("gpus")
    _, asked = folder.document("gpus", flags=["--holders"])

    assert "holders" not in plain
    assert [(each["worker"], each["workload"], each["gpus"]) for each in asked["holders"]] == [
        ("big", "old", ["cuda:0"])
    ]


def test_a_cluster_without_bookings_says_so(folder):
    _, out, _ = folder.call("gpus", on=cluster(bookings=[]), flags=["--holders"])

    assert out.endswith("\nNo booking holds a card.\n")

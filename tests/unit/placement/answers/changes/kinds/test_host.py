from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, kinds, worker

ON = cluster(worker("a", cpu=8, ram="64Gi"))


def test_less_cpu():
    found = change({"cpu": 12}, ON, "cpu")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (12, 8, 8.5)
    assert found["detail"] == "CPU 12 cores -> 8 cores (8.5 cores does not fit)"


def test_less_ram():
    found = change({"ram": "100Gi"}, ON, "ram")

    assert (found["from"], found["to"], found["not_enough"]["to"]) == (102400, 65536, 65792)


def test_neither_where_cards_are_missing():
    assert not {"cpu", "ram"} & set(kinds({"cpu": 4, "ram": "4Gi", "gpus": {"count": 3}}, ON))

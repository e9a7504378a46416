from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, kinds, verdict, worker

ON = cluster(worker("a", labels={"zone": "z1"}, region="r1"))


def wanting(**others):
    return {"gpus": {"count": 3}, "selector": {"matchLabels": {"zone": "z2"}}, **others}


def test_two_changes_where_one_is_not_enough():
    (found,) = changes(wanting(), ON)

    assert found["change"] == "selector and gpu-count"
    assert found["detail"] == "drop zone=z2 from its selector; and 2 cards instead of 3"
    assert found["parts"] == [
        {"change": "selector", "field": "selector", "from": "zone=z2", "to": None},
        {"change": "gpu-count", "field": "gpus.count", "from": 3, "to": 2},
    ]


def test_both_halves_are_as_mild_as_can_be():
    spec = {"cpu": 9, "ram": "9Gi"}
    (found,) = changes(spec, cluster({"name": "a", "cpu": 4, "ram": "4Gi"}))

    assert [part["to"] for part in found["parts"]] == [4, 4096]
    assert found["not_enough"] == {"to": 4352, "verdict": "infeasible"}
    assert verdict({"cpu": 4, "ram": 4096}, cluster({"name": "a", "cpu": 4, "ram": "4Gi"})) == "fits"


def test_no_pairs_beside_single_changes():
    assert kinds({"gpus": {"count": 3}}, ON) == ["gpu-count"]


def test_three_changes_are_not_looked_for():
    assert kinds(wanting(regions=["r2"], antiAffinity=["x"]), ON) == []

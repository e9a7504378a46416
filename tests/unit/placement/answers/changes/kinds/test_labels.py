from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, kinds, worker

ON = cluster(worker("a", labels={"zone": "z1", "disk": "ssd"}))


def wanting(*expressions, **labels):
    selector = {"matchLabels": labels, "matchExpressions": list(expressions)}
    return {"gpus": {"count": 1}, "selector": selector}


def test_the_one_label_that_stands_in_the_way():
    (found,) = changes(wanting(zone="z2", disk="ssd"), ON, "selector")

    assert found["detail"] == "drop zone=z2 from its selector"
    assert (found["from"], found["to"]) == ("zone=z2", None)


def test_an_expression_is_dropped_like_a_label():
    (found,) = changes(wanting({"key": "gpu", "operator": "Exists"}), ON, "selector")

    assert found["from"] == "gpu is set"


def test_one_of_two_wrong_labels_is_not_enough():
    assert kinds(wanting(zone="z2", disk="hdd"), ON) == ["selector and selector"]

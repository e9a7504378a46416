from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, verdict, worker

DEDICATED = {"key": "dedicated", "value": "ml", "effect": "NoSchedule"}
BROKEN = {"key": "broken", "effect": "NoExecute"}
ON = cluster(
    worker("a", cards=1, taints=[BROKEN]),
    worker("b", taints=[DEDICATED]),
    worker("c", taints=[DEDICATED, BROKEN]),
)


def test_only_a_taint_that_suffices_alone():
    (found,) = changes({"gpus": {"count": 2}}, ON, "toleration")

    assert found["detail"] == "tolerate the taint dedicated=ml:NoSchedule"
    assert found["to"] == {**DEDICATED, "operator": "Equal"}
    assert verdict({"gpus": {"count": 2}, "tolerations": [found["to"]]}, ON) == "fits"


def test_a_taint_without_a_value():
    found = changes({"gpus": {"count": 1}}, ON, "toleration")

    assert {**BROKEN, "operator": "Exists"} in [each["to"] for each in found]

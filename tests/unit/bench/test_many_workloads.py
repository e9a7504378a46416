"""Many workloads at a small size: equal replicas, and different ones of which each costs the same."""

import pytest
from bench import many_workloads as many


def test_equal_replicas_by_cards_by_memory_and_of_a_model():
    rows = list(many.equal_replicas(replicas=60, workers=40))

    assert [row.name for row in rows] == [f"placement/plan/60-replicas/{kind}" for kind in ("cards", "memory", "model")]
    assert {row.goal for row in rows} == {1.0}


def test_replicas_that_do_not_fit_are_another_benchmark():
    with pytest.raises(AssertionError, match="of 10000 replicas are placed"):
        many._replicas({"gpus": {"count": 1}}, 10_000, 40)


def test_different_workloads_in_short_and_long_lists():
    rows = list(many.flat(counts=(3, 9), workers=40))

    assert [row.name for row in rows] == [
        "placement/commit/3-workloads/40",
        "placement/commit/9-workloads/40",
        "placement/commit/9-vs-3-workloads/40",
    ]
    assert rows[-1].value == pytest.approx(rows[1].value / rows[0].value)


def test_short_lists_are_parts_of_one_list(monkeypatch):
    planned = []
    monkeypatch.setattr(many, "_booking", lambda planner, some: lambda: planned.append(some))
    asked = many.sized(*many.workloads(9))

    many._each_ms(asked, 3, many.cluster(40))

    assert [each for some in planned for each in some] == asked
    assert [len(some) for some in planned] == [3, 3, 3]

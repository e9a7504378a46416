"""Gangs and preemption at a small size: the rows are those of the goals, and each plan is the one that is meant."""

import pytest
from bench import gangs, preemption


@pytest.fixture(autouse=True)
def one_round(monkeypatch):
    for suite in (gangs, preemption):
        monkeypatch.setattr(suite, "ROUNDS", 1)


@pytest.mark.parametrize("kind", gangs.KINDS)
def test_a_gang_is_measured_as_the_first_plan_and_as_the_next(kind):
    rows = list(gangs.gangs(kind, size=100))

    assert [row.name for row in rows] == [f"gangs/rack/{kind}/first/100", f"gangs/rack/{kind}/next/100"]
    assert {(row.goal, row.op, row.baseline) for row in rows} == {(5.0, "<=", 100.0)}


def test_a_gang_that_finds_no_rack_is_another_benchmark(monkeypatch):
    monkeypatch.setitem(gangs.KINDS, "cards", {"gpus": {"count": 9}})

    with pytest.raises(AssertionError, match="the plan finds none"):
        list(gangs.gangs("cards", size=100))


def test_preemption_needs_the_victims_that_its_rows_speak_of():
    rows = {row.name: row for row in preemption.rows(print, size=100)}

    assert list(rows) == ["preemption/1x4/100", "preemption/8x8/100", "preemption/8x8/within-rack/100"]
    assert rows["preemption/8x8/100"].goal == rows["preemption/8x8/within-rack/100"].goal == 1.0


def test_other_victims_are_another_benchmark():
    with pytest.raises(AssertionError, match="4 victims make room, not 3"):
        preemption._seconds(20, 1, 3, replicas=1, gpus={"count": 4})

"""Models onto servers at a small size: the rows are those of the goals, and every model finds its place."""

import pytest
from bench import serving


@pytest.fixture(autouse=True)
def one_round(monkeypatch):
    monkeypatch.setattr(serving, "ROUNDS", 1)
    monkeypatch.setattr(serving, "ONE_MORE", 3)


def test_rows():
    rows = list(serving.rows(print, models=40, servers=3, replicas=2))

    assert [(row.name, row.goal, row.op) for row in rows] == [
        ("serving/place-all/40/6", 5_000.0, ">="),
        ("serving/one-more/40/6", 1.0, "<="),
        ("serving/replica-fails/40/6", 100.0, "<="),
    ]
    assert all(row.baseline for row in rows)


def test_models_that_find_no_place_are_another_benchmark(monkeypatch):
    monkeypatch.setattr(serving, "MODEL_MIB", serving.MEMORY_MIB + 1)

    with pytest.raises(AssertionError, match="finds no place"):
        list(serving.rows(print, models=1, servers=1, replicas=1))

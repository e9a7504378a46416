"""The benchmark of simulated engines: its rows are complete, and its figures are of real processes."""

from bench import engine

GOALS = {
    "engine/idle/cpu",
    "engine/idle/memory",
    "engine/served/memory",
    "engine/2-on-one-core/cores",
    "engine/2-on-one-core/memory-each",
    "engine/replay-32/cpu-per-request",
}


def test_every_goal_has_a_row():
    rows = list(engine.rows(lambda _: None, lasts_s=0.4, processes=2, requests=200))

    assert {row.name for row in rows if row.goal is not None} == GOALS
    assert all(row.value > 0 for row in rows if row.name != "engine/idle/cpu")
    assert all(5 < row.value < 500 for row in rows if row.unit == "MiB")

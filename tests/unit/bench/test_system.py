from bench import soak, system


def test_a_quantile_is_the_bound_of_its_bucket():
    before = {0.001: 10.0, 0.01: 10.0, float("inf"): 10.0}
    after = {0.001: 60.0, 0.01: 109.0, float("inf"): 110.0}

    assert system._quantile(before, after, 0.5) == 0.001
    assert system._quantile(before, after, 0.99) == 0.01
    assert system._quantile(before, after, 1.0) == float("inf")


def test_the_suite_measures_a_real_server(monkeypatch):
    monkeypatch.setattr(system, "SINGLES", 4)
    monkeypatch.setattr(system, "CHANGES", 2)
    monkeypatch.setattr(soak, "rows", lambda: iter(()))

    found = {row.name: row for row in system.rows(lambda _: None, workers=12, replicas=30, rounds=1)}

    assert found["system/bound/12"].goal == system.BOUND_GOAL
    assert found["system/bound/12"].value > 0
    assert found["system/decision/12/p99"].value > 0
    assert {name.split("/")[2] for name in found if "worker-changes" in name} == {"label", "cordon", "come-and-go"}


def test_an_hour_of_the_day_binds_pods(monkeypatch):
    monkeypatch.setattr(soak, "WORKERS", 4)

    early, late, bound, _ = soak.day(1)

    assert early == late > 0
    assert bound > 30

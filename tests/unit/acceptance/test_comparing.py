"""Each expectation holds for one answer and fails for another."""

from __future__ import annotations

import pytest

from acceptance.case_files import CaseError
from acceptance.comparing import (
    ESTIMATE,
    VALIDATION,
    WHY_WORKER,
    compare_cluster,
    compare_error,
    compare_estimate,
    compare_gpus,
    compare_plan,
    compare_seconds,
    compare_validation,
    compare_why,
)
from acceptance.comparing_plans import PLAN


def card(index, memory_mib=1000, runtime="cuda"):
    return {"runtime": runtime, "index": index, "memory_mib": memory_mib}


def share(worker, *indexes, layers=None, **facts):
    return {"worker": worker, "gpus": [card(index, **facts) for index in indexes], "layers": layers}


def replica(*shares, **facts):
    return {"tier": "one-gpu", "tp": 1, "pp": 1, "score": 0.5, "workers": list(shares), **facts}


def plan(*replicas, **facts):
    return {"kind": "Plan", "replicas": list(replicas), "removals": [], "victims": [], "warnings": [], **facts}


A0, A1, B0 = replica(share("a", 0)), replica(share("a", 1)), replica(share("b", 0))

FLAGS = plan(replica(engine_args=["--tp-size=2", "--x 1", "--y"]))

PLANS = {
    "engine_args_contain": (["--tp-size=2", "--x=1", "--y"], FLAGS, plan(replica(engine_args=["--tp-size=4", "--x"]))),
    "engine_args_lack":    (["--pp-size", "--tp"], FLAGS, plan(replica(engine_args=["--pp-size=1"]), replica())),
    "verdict":             ("fits", plan(verdict="fits"), plan(verdict="partly")),
    "placed":              (1, plan(placed=1), plan(placed=True)),
    "tier":                ("cpu", plan(replica(tier="cpu")), plan(replica(tier="cpu"), replica())),
    "tp":                  (2, plan(replica(tp=2)), plan(replica(tp=2), replica(tp=4))),
    "pp":                  (2, plan(replica(pp=2)), plan(replica(pp=None))),
    "score":               (0.5, plan(replica(score=0.50005)), plan(replica(score=0.5002))),
    "workers":             (["b", "a"], plan(A0, B0, A1), plan(A0)),
    "gpus":                ({"a": ["cuda:1", "cuda:0"]}, plan(A0, A1, A0), plan(A0, A1, B0)),
    "any_of":              ([{"workers": ["a"]}, {"workers": ["b"]}], plan(B0), plan(A0, B0)),
    "not_workers":         (["b"], plan(A0), plan(A0, B0)),
    "not_gpus":            ({"a": ["cuda:1"]}, plan(A0, replica(share("b", 1))), plan(A1)),
    "gpu_count":           (3, plan(replica(share("a", 0, 1)), B0), plan(A0, B0)),
    "replicas_per_worker": ({"a": 2, "b": 1}, plan(A0, A1, B0), plan(A0, A1)),
    "memory_mib_per_gpu":  ({"min": 5, "max": 9}, plan(replica(share("a", 0, memory_mib=9))), plan(A0)),
    "layers":              ({"min": 5, "max": 5}, plan(replica(share("a", layers=2), share("b", layers=3))),
                            plan(replica(share("a", layers=5)), replica(share("a", layers=None)))),
    "removals":            ([[1, 2], [0]], plan(removals=[{"replica": 2}, {"replica": 1}]),
                            plan(removals=[{"replica": 1}])),
    "victims":             (["x"], plan(victims=[{"workload": "x"}, {"workload": "x"}]), plan()),
    "warnings_contain":    (["MUSA"], plan(warnings=["other", "unknown runtime musa"]), plan(warnings=["other"])),
}  # fmt: skip


def test_every_key_of_a_plan_has_a_row():
    assert set(PLANS) == set(PLAN)


@pytest.mark.parametrize("key", PLANS)
def test_plan(key):
    expected, good, bad = PLANS[key]

    assert compare_plan([{key: expected}], good, 1e-4) == []
    lines = compare_plan([{key: expected}], bad, 1e-4)
    assert lines
    assert all(line.startswith(f"plan[0].{key}") and "got" in line for line in lines)


@pytest.mark.parametrize("key", ["tier", "tp", "pp", "score", "memory_mib_per_gpu", "layers"])
def test_what_is_said_of_every_replica_needs_one(key):
    assert "expected at least one" in compare_plan([{key: PLANS[key][0]}], plan(), 1e-4)[0]


def test_a_mismatch_says_what_was_expected_and_what_came():
    lines = compare_plan([{"verdict": "fits", "workers": ["a"]}], plan(B0, verdict="partly"), 1e-4)

    assert lines == [
        'plan[0].verdict: expected "fits", got "partly"',
        'plan[0].workers: expected ["a"], got ["b"]',
    ]


def test_several_plans_are_compared_in_order():
    answer = {"kind": "PlanList", "items": [plan(A0, placed=1), plan(placed=0)]}

    assert compare_plan([{"placed": 1}, {"placed": 0}], answer, 1e-4) == []
    assert compare_plan([{"placed": 1}, {"placed": 1}], answer, 1e-4) == ["plan[1].placed: expected 1, got 0"]
    assert compare_plan([{"placed": 1}], answer, 1e-4) == ["the number of plans: expected 1, got 2"]


def test_something_that_is_no_plan_is_said():
    assert "got" in compare_plan([{"placed": 1}], {"kind": "Why"}, 1e-4)[0]


def why(**facts):
    worker = {"worker": "w", "feasible": False, "rejections": [{"code": "taint"}, {"code": "cost"}], "score": None}
    return {"kind": "Why", "workers": [{**worker, **facts}]}


SCORED = {"total": 0.3, "terms": [{"plugin": "binpack", "score": 0.3}]}
WHYS = {
    "feasible": (True, why(feasible=True), why()),
    "codes":    (["cost"], why(), why(rejections=[{"code": "taint"}])),
    "terms":    ({"binpack": 0.3001}, why(score=SCORED), why(score=None)),
}  # fmt: skip


def test_every_key_of_a_why_has_a_row():
    assert set(WHYS) == set(WHY_WORKER)


@pytest.mark.parametrize("key", WHYS)
def test_why(key):
    expected, good, bad = WHYS[key]

    assert compare_why({"workers": {"w": {key: expected}}}, good, 2e-4) == []
    assert compare_why({"workers": {"w": {key: expected}}}, bad, 2e-4)[0].startswith(f"why.workers.w.{key}")


def test_why_must_speak_of_the_worker():
    lines = compare_why({"workers": {"x": {"feasible": True}}}, why(), 1e-4)

    assert lines == ["why.workers.x: expected an answer, got nothing about this worker"]


BLOCKING = {
    "a member": (["large/0"], ["large/0"], True),
    "a role":   (["large"], ["small/1", "large/0"], True),
    "a Pod":    (["w-1"], ["w-1"], True),
    "another":  (["large"], ["larger/0"], False),
    "one of two": (["large", "small"], ["large/0"], False),
}  # fmt: skip


@pytest.mark.parametrize(("expected", "blocking", "holds"), BLOCKING.values(), ids=BLOCKING)
def test_blocking(expected, blocking, holds):
    lines = compare_why({"gang": {"blocking": expected}}, {"workers": [], "gang": {"blocking": blocking}}, 1e-4)

    assert (lines == []) is holds


def test_no_gang_blocks_nobody():
    assert compare_why({"gang": {"blocking": ["x"]}}, {"workers": [], "gang": None}, 1e-4)


def estimate(*tps, mib=10, **facts):
    return {"kind": "Estimate", "per_gpu": [{"tp": tp, "pp": 1, "mib": mib, "fits": []} for tp in tps], **facts}


ESTIMATES = {
    "weights_mib":      ({"min": 5, "max": 9}, estimate(weights_mib=9), estimate(weights_mib=10)),
    "kv_mib":           (None, estimate(kv_mib=None), estimate(kv_mib=0)),
    "total_mib":        ({"min": 5, "max": 9}, estimate(total_mib=5), estimate(total_mib=None)),
    "per_gpu":          ([{"tp": 2, "pp": 1, "mib": {"min": 10, "max": 10}}], estimate(1, 2), estimate(1, 2, mib=11)),
    "tp_valid":         ([1, 2], estimate(1, 2, 4), estimate(1, 4)),
    "tp_invalid":       ([8], estimate(1, 2), estimate(1, 8)),
    "warnings_contain": (["novelnet"], estimate(warnings=["NovelNet is unknown"]), estimate(warnings=[])),
}  # fmt: skip


def test_every_key_of_an_estimate_has_a_row():
    assert set(ESTIMATES) == set(ESTIMATE)


@pytest.mark.parametrize("key", ESTIMATES)
def test_estimate(key):
    expected, good, bad = ESTIMATES[key]

    assert compare_estimate({key: expected}, good) == []
    assert compare_estimate({key: expected}, bad)[0].startswith(f"estimate.{key}")


def test_a_missing_size_is_neither_null_nor_in_a_range():
    assert compare_estimate({"kv_mib": None}, estimate()) == ["estimate.kv_mib: expected null, got nothing"]
    assert compare_estimate({"kv_mib": {"min": 0}}, estimate()) == ['estimate.kv_mib: expected {"min": 0}, got nothing']


def test_a_missing_shape_is_said():
    assert "got nothing" in compare_estimate({"per_gpu": [{"tp": 8, "pp": 1, "mib": {"min": 0}}]}, estimate(1))[0]


def verdict(valid, *errors):
    return {"valid": valid, "errors": [{"place": place, "message": message} for place, message in errors]}


VALIDATIONS = {
    "valid":  (False, verdict(False), verdict(True)),
    "errors": ([{"place_contains": "locality", "message_contains": "same-rack"}],
               verdict(False, ("spec.locality", "no 'same-rack'")),
               verdict(False, ("spec.locality", "no"), ("spec.x", "no 'same-rack'"))),
}  # fmt: skip


def test_every_key_of_a_validation_has_a_row():
    assert set(VALIDATIONS) == set(VALIDATION)


@pytest.mark.parametrize("key", VALIDATIONS)
def test_validation(key):
    expected, good, bad = VALIDATIONS[key]

    assert compare_validation({key: expected}, good) == []
    assert compare_validation({key: expected}, bad)[0].startswith(f"validate.{key}")


READ = {
    "workers": [
        {
            "name": "n", "spot": True, "cpu": 64, "cachedModels": {"m": None},
            "gpus": [card(1), {**card(0), "memory": 40960}, {**card(0, runtime="rocm"), "memory": 1}],
            "utilization": {"gpus": [{"index": 0, "gpuPercent": 60}]},
        }
    ]
}  # fmt: skip

CLUSTERS = {
    "a field":             ({"spot": True}, True),
    "another value":       ({"cpu": 65}, False),
    "a number is no yes":  ({"spot": 1}, False),
    "a field is missing":  ({"region": "r"}, False),
    "null is a value":     ({"cachedModels": {"m": None}}, True),
    "null is not absence": ({"cachedModels": {"x": None}}, False),
    "a card by its index": ({"gpus": [{"index": 0, "memory": 40960}]}, True),
    "either runtime":      ({"gpus": [{"index": 0, "memory": 1}]}, True),
    "one card, not two":   ({"gpus": [{"index": 0, "memory": 1, "runtime": "cuda"}]}, False),
    "no such card":        ({"gpus": [{"index": 7}]}, False),
    "no cards at all":     ({"gpus": []}, False),
    "deeper":              ({"utilization": {"gpus": [{"index": 0, "gpuPercent": 60}]}}, True),
    "deeper, another":     ({"utilization": {"gpus": [{"index": 0, "gpuPercent": 61}]}}, False),
}  # fmt: skip


@pytest.mark.parametrize(("body", "holds"), CLUSTERS.values(), ids=CLUSTERS)
def test_cluster(body, holds):
    assert (compare_cluster({"n": body}, READ) == []) is holds


def test_a_worker_that_was_not_read_is_said():
    assert compare_cluster({"x": {"spot": True}}, READ) == ['cluster.x: expected {"spot": true}, got nothing']


def test_error():
    assert compare_error({"place_contains": "gpuIds[1]"}, "job.spec.gpuIds[1]") == []
    assert compare_error({"place_contains": "gpuIds[1]"}, "job.spec") == [
        "error.place: expected a text with 'gpuIds[1]', got 'job.spec'"
    ]


def test_seconds():
    assert compare_seconds(2.0, 2.0) == []
    assert compare_seconds(2.0, 2.5) == ["max_seconds: expected at most 2.0 s, got 2.50 s"]


UNKNOWN = {
    "plan":        lambda: compare_plan([{"verdikt": "fits"}], plan(), 1e-4),
    "any_of":      lambda: compare_plan([{"any_of": [{"gpu_count": 0}, {"gpu_kount": 1}]}], plan(), 1e-4),
    "range":       lambda: compare_plan([{"layers": {"least": 1}}], plan(A0), 1e-4),
    "empty range": lambda: compare_estimate({"kv_mib": {}}, estimate(kv_mib=1)),
    "empty entry": lambda: compare_plan([{}], plan(), 1e-4),
    "why":         lambda: compare_why({"werkers": {}}, why(), 1e-4),
    "why worker":  lambda: compare_why({"workers": {"w": {"code": []}}}, why(), 1e-4),
    "gang":        lambda: compare_why({"gang": {"desired": 1}}, why(), 1e-4),
    "estimate":    lambda: compare_estimate({"weights": 1}, estimate()),
    "per gpu":     lambda: compare_estimate({"per_gpu": [{"tp": 1, "pp": 1, "dp": 1}]}, estimate(1)),
    "errors":      lambda: compare_validation({"errors": [{"line": 1}]}, verdict(False)),
    "error":       lambda: compare_error({"code": "x"}, "place"),
}  # fmt: skip


@pytest.mark.parametrize("compare", UNKNOWN.values(), ids=UNKNOWN)
def test_a_key_that_nobody_knows_is_an_error(compare):
    with pytest.raises(CaseError):
        compare()


def test_a_flag_that_is_given_twice_is_a_mismatch():
    twice = plan(replica(engine_args=["--tp-size=2", "--tp-size=2"]))

    assert compare_plan([{"engine_args_contain": ["--tp-size=2"]}], twice, 1e-4)


SET = {"cards": 2, "nvlink_islands": None, "workers": ["a"]}
FREE = {
    "models": [{"model": "H100", "cards": 4, "workers_with": {"1": 1, "2": 0}, "sets": [SET], "fragmentation": 0.5}],
    "total": {"cards": 4, "fragmentation": None},
    "shared_cards": [{"worker": "a", "index": 1, "free_mib": 7}, {"worker": "a", "index": 0, "free_mib": 5}],
    "mig": [{"profile": "1g.5gb", "possible": 3, "existing": 1}],
}
GPUS = {
    "a number":             ({"models": {"H100": {"cards": 4}}}, {"models": {"H100": {"cards": 3}}}),
    "an entry of a map":    ({"models": {"H100": {"workers_with": {"2": 0}}}},
                             {"models": {"H100": {"workers_with": {"2": 1}}}}),
    "a model":              ({"models": {"H100": {"cards": 4}}}, {"models": {"A100": {"cards": 4}}}),
    "sets as a whole":      ({"models": {"H100": {"sets": [SET]}}}, {"models": {"H100": {"sets": []}}}),
    "a share":              ({"models": {"H100": {"fragmentation": 0.50001}}},
                             {"models": {"H100": {"fragmentation": 0.6}}}),
    "the total":            ({"total": {"fragmentation": None}}, {"total": {"cards": 5}}),
    "cards in any order":   ({"shared_cards": [{"free_mib": 5}, {"free_mib": 7}]}, {"shared_cards": [{"free_mib": 5}]}),
    "a profile":            ({"mig": {"1g.5gb": {"possible": 3}}}, {"mig": {"2g.10gb": {"possible": 3}}}),
}  # fmt: skip


@pytest.mark.parametrize(("good", "bad"), GPUS.values(), ids=GPUS)
def test_free_sets(good, bad):
    assert compare_gpus(good, FREE, 1e-4) == []
    assert compare_gpus(bad, FREE, 1e-4)

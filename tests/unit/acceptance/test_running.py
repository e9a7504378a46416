"""The runner asks the right function with the case's own words, against a library that notes what it was asked."""

from __future__ import annotations

import json
import math
import time

import pytest

from acceptance.case_files import Case, CaseError
from acceptance.running import mismatches
from bayplan.framework.errors import ConflictError, InputError

ABOUT = {"id": "a", "seed": "000", "feature": "binpack", "says": "s"}
JOB = {"metadata": {"name": "job"}, "spec": {}}
PLAN = {"kind": "Plan", "verdict": "fits", "replicas": [], "removals": [], "victims": [], "warnings": []}
ANSWERS = {
    "plan": PLAN,
    "why": {"workers": [{"worker": "w", "feasible": True, "rejections": []}]},
    "estimate": {"weights_mib": 5, "per_gpu": [], "warnings": []},
    "validate": {"valid": True, "errors": [], "warnings": []},
    "read_cluster": {"workers": [{"name": "n", "spot": True}], "bookings": [1], "warnings": []},
}


class Library:
    """Answers with what it was given, or raises it; spoils its arguments as a careless caller's friend would."""

    def __init__(self, **answers):
        self._answers = {**ANSWERS, **answers}
        self.calls = []

    def __getattr__(self, name):
        def function(*arguments, **options):
            self.calls.append((name, json.loads(json.dumps(arguments)), options))
            for argument in arguments:
                argument.clear()
            answer = self._answers[name]
            if isinstance(answer, Exception):
                raise answer
            return answer() if callable(answer) else answer

        return function


def case(expect, **facts):
    return Case("f::a", {**ABOUT, "expect": expect, **facts}, {"c": {"workers": [], "bookings": []}})


def placed(expect, **facts):
    return case(expect, **{"workloads": [JOB], "cluster": "c", **facts})


FITS, SURE = {"plan": [{"verdict": "fits"}]}, {"why": {"workers": {"w": {"feasible": True}}}}
NATIVE = {"workers": [], "bookings": []}
NODES = {"nodes": [{"kind": "Node"}], "bookings": [2]}
READ = {**ANSWERS["read_cluster"], "bookings": [1, 2]}

CALLS = {
    "plan":            (placed(FITS), [("plan", [[JOB], NATIVE], {})]),
    "plan and why":    (placed({**FITS, **SURE}), [("plan", [[JOB], NATIVE], {}), ("why", [[JOB], NATIVE], {})]),
    "why alone":       (placed(SURE), [("why", [[JOB], NATIVE], {})]),
    "time alone":      (placed({"max_seconds": 60}), [("plan", [[JOB], NATIVE], {})]),
    "config":          (placed(FITS, config={"x": 1}), [("plan", [[JOB], NATIVE], {"config": {"x": 1}})]),
    "body of its own": (placed(FITS, cluster={"workers": [1]}), [("plan", [[JOB], {"workers": [1]}], {})]),
    "nodes":           (placed(FITS, cluster=NODES),
                        [("read_cluster", [[{"kind": "Node"}]], {}), ("plan", [[JOB], READ], {})]),
    "cluster":         (case({"cluster": {"n": {"spot": True}}}, cluster={"nodes": []}), [("read_cluster", [[]], {})]),
    "estimate":        (case({"estimate": {"weights_mib": {"min": 5}}}, estimate={"weights": "5Mi"}),
                        [("estimate", [], {"weights": "5Mi"})]),
    "manifests":       (case({"valid": True}, manifests=[JOB]), [("validate", [[JOB]], {})]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "calls"), CALLS.values(), ids=CALLS)
def test_calls(asked, calls, tmp_path):
    library = Library()

    assert mismatches(asked, tmp_path, library) == []
    assert library.calls == calls
    assert asked.clusters == {"c": NATIVE}, "a file's clusters are shared by its cases"


MISMATCHES = {
    "plan":     (placed({"plan": [{"verdict": "partly"}]}), "plan[0].verdict"),
    "why":      (placed({"why": {"workers": {"w": {"feasible": False}}}}), "why.workers.w.feasible"),
    "estimate": (case({"estimate": {"weights_mib": None}}, estimate={}), "estimate.weights_mib"),
    "valid":    (case({"valid": False}, manifests=[]), "validate.valid"),
    "cluster":  (case({"cluster": {"n": {"spot": False}}}, cluster=NODES), "cluster.n.spot"),
    "no error": (placed({"error": {"place_contains": "x"}}), "error: expected an input error"),
    "no error of an estimate": (case({"error": {}}, estimate={}), "error: expected an input error"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "line"), MISMATCHES.values(), ids=MISMATCHES)
def test_mismatches(asked, line, tmp_path):
    mismatch, answer = mismatches(asked, tmp_path, Library())

    assert mismatch.startswith(line)
    assert " answered: {" in answer


def test_a_long_answer_is_shown_in_part(tmp_path):
    library = Library(plan={**PLAN, "warnings": ["x" * 5000]})

    assert mismatches(placed({"plan": [{"verdict": "partly"}]}), tmp_path, library)[1].endswith("xxx…")


REFUSED = InputError("no number", place="spec.gpuIds[1]", next="give one")


def test_an_expected_error_is_compared_by_its_place(tmp_path):
    library = Library(plan=REFUSED)

    assert mismatches(placed({"error": {"place_contains": "gpuIds[1]"}}), tmp_path, library) == []
    assert "got 'spec.gpuIds[1]'" in mismatches(placed({"error": {"place_contains": "x"}}), tmp_path, library)[0]
    assert mismatches(placed(FITS), tmp_path, library) == [
        "expected an answer, got the error: spec.gpuIds[1]: no number; give one"
    ]


def test_the_seconds_of_the_plan_count_also_when_it_refuses(tmp_path):
    def slow():
        time.sleep(0.01)
        return PLAN

    assert "max_seconds" in mismatches(placed({"max_seconds": 0.001}), tmp_path, Library(plan=slow))[0]
    assert "max_seconds" in mismatches(placed({"error": {}, "max_seconds": 0}), tmp_path, Library(plan=REFUSED))[0]


@pytest.mark.parametrize("crash", [ValueError("bug"), ConflictError("lost")])
def test_what_is_no_input_error_is_a_crash(crash, tmp_path):
    with pytest.raises(type(crash)):
        mismatches(placed({"error": {"place_contains": ""}}), tmp_path, Library(plan=crash))


@pytest.mark.parametrize(("value", "error"), [(math.nan, ValueError), ({1}, TypeError)])
def test_an_answer_must_be_a_json_document(value, error, tmp_path):
    with pytest.raises(error):
        mismatches(placed(FITS), tmp_path, Library(plan={**PLAN, "seed": value}))


def test_files_are_written_and_their_folder_is_named(tmp_path):
    files = {"config.json": {"me": "${files}/config.json"}}
    library = Library()
    mismatches(case({"estimate": {"kv_mib": None}}, estimate={"path": "${files}"}, files=files), tmp_path, library)

    assert library.calls == [("estimate", [], {"path": str(tmp_path)})]
    assert json.loads((tmp_path / "config.json").read_text()) == {"me": f"{tmp_path}/config.json"}


BAD = {
    "a file's problem":   (Case("f::file", problem="no YAML"), "no YAML"),
    "unknown cluster":    (placed(FITS, cluster="d"), "no cluster 'd'; it has c"),
    "nodes and workers":  (placed(FITS, cluster={**NODES, "workers": []}), "unknown key 'workers'"),
    "nothing to be read": (case({"cluster": {}}, cluster="c"), "needs `nodes`"),
    "unknown key":        (placed(FITS, sede=1), "unknown key 'sede'"),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "message"), BAD.values(), ids=BAD)
def test_a_bad_case_is_said(bad, message, tmp_path):
    with pytest.raises(CaseError, match=message):
        mismatches(bad, tmp_path, Library())

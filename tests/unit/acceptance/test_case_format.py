from __future__ import annotations

import pytest

from acceptance.case_files import CaseError
from acceptance.case_format import kind_of

ABOUT = {"id": "a", "seed": "000", "feature": "binpack", "says": "s"}


def case(expect, **facts):
    return {**ABOUT, "expect": expect, **facts}


PLAN = {"workloads": [], "cluster": "c"}

KINDS = {
    "plan":        (case({"plan": []}, **PLAN), "workloads"),
    "all of it":   (case({"plan": [], "why": {}}, **PLAN, config={}, files={}, tolerance=1), "workloads"),
    "plan, error": (case({"error": {}, "max_seconds": 1}, **PLAN), "workloads"),
    "estimate":    (case({"estimate": {}}, estimate={}, files={}), "estimate"),
    "manifests":   (case({"valid": False, "errors": []}, manifests=[]), "manifests"),
    "cluster":     (case({"cluster": {}}, cluster={"nodes": []}), "cluster"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "kind"), KINDS.values(), ids=KINDS)
def test_kind(body, kind):
    assert kind_of(body) == kind


REFUSED = {
    "unknown key":          (case({"plan": []}, **PLAN, sede=1), "unknown key 'sede'"),
    "unknown expectation":  (case({"plans": []}, **PLAN), "unknown key 'plans'"),
    "wrong expectation":    (case({"estimate": {}}, **PLAN), "unknown key 'estimate'"),
    "why of an estimate":   (case({"why": {}}, estimate={}), "unknown key 'why'"),
    "two questions":        (case({"plan": []}, **PLAN, estimate={}), "unknown key 'estimate'"),
    "config of a manifest": (case({"valid": True}, manifests=[], config={}), "unknown key 'config'"),
    "unknown feature":      (case({"plan": []}, **PLAN) | {"feature": "teapot"}, "unknown feature 'teapot'"),
    "no question":          (case({"plan": []}), "asks nothing"),
    "no cluster":           (case({"plan": []}, workloads=[]), "no 'cluster'"),
    "no expect":            ({**ABOUT, **PLAN}, "no 'expect'"),
    "no sentence":          ({**case({"plan": []}, **PLAN), "says": None}, "says must be str"),
    "nothing expected":     (case({}, **PLAN), "nothing would be compared"),
    "error and answer":     (case({"error": {}, "plan": []}, **PLAN), "a call gives one of them"),
    "form":                 (case({"plan": []}, cluster="c", workloads={}), "workloads must be list"),
    "tolerance":            (case({"plan": []}, **PLAN, tolerance=True), "tolerance must be int or float"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_asked_is_said(body, message):
    with pytest.raises(CaseError, match=message):
        kind_of(body)

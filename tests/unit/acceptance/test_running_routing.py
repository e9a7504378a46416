"""What the runner asks for cases of routing, against a library that notes it."""

from __future__ import annotations

import pytest

from acceptance.case_files import Case, CaseError
from acceptance.running import mismatches
from unit.acceptance.test_running import Library

ABOUT = {"id": "a", "seed": "001", "feature": "pickers", "says": "s"}
ROUTE = {"kind": "Route", "status": 200, "picked": [{"endpoint": "a", "address": "x"}], "model": "m", "warnings": []}
ANSWERS = {
    "route": ROUTE,
    "scrape": {"metrics": {"waiting": 1}, "warnings": []},
    "read_config": {"featureGates": {"x": True}, "warnings": []},
}
CONFIGS = {"named": {"kind": "EndpointPickerConfig"}}
OK, ENDPOINTS = {"route": {"status": 200}}, {"endpoints": [{"name": "a"}]}


def asked(tmp_path, expect, **facts):
    library = Library(**ANSWERS)
    case = Case("f::a", {**ABOUT, "expect": expect, **facts}, {}, CONFIGS)
    lines = mismatches(case, tmp_path, library)
    return lines, library.calls


def test_a_route(tmp_path):
    lines, calls = asked(
        tmp_path, OK, route={"id": "r", "tokens": "1..3"}, endpoints=ENDPOINTS, config="named", chance=7
    )

    assert lines == []
    assert calls == [("route", [{"id": "r", "tokens": [1, 2, 3]}, ENDPOINTS], {"config": CONFIGS["named"], "seed": 7})]


def test_several_calls_have_seeds_of_their_own(tmp_path):
    _, calls = asked(tmp_path, {"shares": {"a": {"min": 1}}}, route={"id": "r"}, endpoints=ENDPOINTS, times=3)

    assert [options for _, _, options in calls] == [{"config": None, "seed": seed} for seed in range(3)]


def test_what_should_repeat_is_asked_twice(tmp_path):
    lines, calls = asked(tmp_path, {"repeatable": True}, route={"id": "r"}, endpoints=ENDPOINTS, config=None)

    assert (lines, len(calls)) == ([], 2)


def test_metrics_with_noise_before_them(tmp_path):
    expect = {"metrics": {"metrics": {"waiting": 1}}}
    library = Library(**ANSWERS)
    library.calls = calls = []
    library.scrape = lambda text, **options: calls.append((text, options)) or ANSWERS["scrape"]
    case = Case(
        "f::a", {**ABOUT, "expect": expect, "scrape": {"text": "x 1\n", "engine": "e", "padding": 2}}, {}, CONFIGS
    )

    assert mismatches(case, tmp_path, library) == []
    assert calls == [('noise{n="0"} 1\nnoise{n="1"} 1\nx 1\n', {"config": None, "engine": "e"})]


def test_a_configuration(tmp_path):
    lines, calls = asked(tmp_path, {"config": {"gates": {"x": False}}}, read={"kind": "EndpointPickerConfig"})

    assert lines[0] == "config.gates.x: expected false, got true"
    assert calls[0][0] == "read_config"


def test_a_configuration_that_the_file_does_not_have(tmp_path):
    with pytest.raises(CaseError, match="no config 'other'; it has named"):
        asked(tmp_path, OK, route={"id": "r"}, endpoints=ENDPOINTS, config="other")

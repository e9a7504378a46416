"""Each expectation of routing holds for one answer and fails for another."""

from __future__ import annotations

import pytest

from acceptance.case_files import CaseError
from acceptance.comparing_routes import LIST, ROUTE, SHARES, compare_repeated, compare_routes


def row(name, total=None, codes=(), prefix=None, **scores):
    return {
        "endpoint": name,
        "kept": total is not None,
        "total": total,
        "rejections": [{"code": code, "plugin": "p"} for code in codes],
        "terms": [
            {"plugin": plugin.replace("_", "-"), "weight": 1, "score": score} for plugin, score in scores.items()
        ],
        "prefix": prefix and dict(zip(("matched_blocks", "total_blocks"), prefix, strict=True)),
    }


ROWS = [row("a", 1.5, queue_scorer=0.5, prefix=(2, 4)), row("b", codes=("label-mismatch", "session"))]


def route(*picked, **facts):
    return {
        "kind": "Route",
        "request": "r",
        "status": 200,
        "code": "ok",
        "reason": None,
        "model": "m",
        "priority": 0,
        "fairness_id": "f",
        "parser": "p",
        "prompt_tokens": 3,
        "profile": "default",
        "saturation": 0.5,
        "picked": [{"endpoint": name, "address": f"{name}:8000"} for name in picked],
        "headers": {"x-to": "a"},
        "response_headers": {"x-back": "b"},
        "endpoints": ROWS,
        "profiles": {"default": {"failed": False, "picked": [{"endpoint": "a"}], "endpoints": ROWS}},
        "warnings": ["Prefill failed"],
        **facts,
    }


ROUTES = {
    "status": (200, 429),
    "code": ("ok", "internal"),
    "reason": (None, "rejected-saturated"),
    "model": ("m", None),
    "priority": (0, False),
    "fairness_id": ("f", "g"),
    "parser": ("p", None),
    "prompt_tokens": (3, 4),
    "profile": ("default", "decode"),
    "saturation": (0.50005, 0.51),
    "picked": (["a", "b"], ["b", "a"]),
    "picked_any_of": ([["b"], ["a", "b"]], [["a"]]),
    "addresses": (["a:8000", "b:8000"], ["a:8000"]),
    "headers": ({"x-to": "a"}, {"x-to": "b"}),
    "response_headers": ({"x-back": "b"}, {"x-to": "a"}),
    "headers_absent": (["x-other"], ["x-back"]),
    "kept": (["a"], ["a", "b"]),
    "rejected": ({"b": "session"}, {"a": "session"}),
    "scores": ({"queue-scorer": {"a": 0.5}}, {"queue-scorer": {"b": 0.5}}),
    "totals": ({"a": 1.5}, {"a": 1.6}),
    "prefix": ({"a": [2, 4]}, {"b": [0, 4]}),
    "profiles": ({"default": {"failed": False, "kept": ["a"]}, "other": None}, {"default": None}),
    "warnings_contain": (["prefill"], ["encode"]),
}


@pytest.mark.parametrize(("key", "values"), ROUTES.items(), ids=ROUTES)
def test_what_is_said_of_a_route(key, values):
    right, wrong = values
    answer = route("a", "b")

    assert compare_routes({"route": {key: right}}, [answer], 1e-4) == []
    assert compare_routes({"route": {key: wrong}}, [answer], 1e-4) != []
    assert compare_routes({"route": {key: wrong}}, [answer, answer], 1e-4) != []


def test_every_key_is_tried():
    assert set(ROUTES) == set(ROUTE)
    assert set(LISTS) == set(LIST)


def routes(**facts):
    return {
        "kind": "RouteList",
        "items": [route("a"), {**route("b"), "request": "s"}, {**route(), "request": "t"}],
        "dispatched": ["r", "s"],
        "waiting": ["t"],
        "inflight": {"a": {"requests": 1, "tokens": 3.5}},
        "bands": [{"priority": -1, "ceiling": 0.5, "waiting": 1}],
        **facts,
    }


LISTS = {
    "items": ({"s": {"picked": ["b"]}}, {"s": {"picked": ["a"]}}),
    "dispatched": (["r", "s"], ["s", "r"]),
    "waiting": (["t"], []),
    "inflight": ({"a": {"requests": 1, "tokens": 3.5}}, {"b": {"requests": 0}}),
    "bands": ({-1: 0.5}, {0: 0.5}),
    "picks": ({"a": {"min": 1, "max": 1}}, {"b": {"min": 2}}),
    "repeatable": (True, None),
}


@pytest.mark.parametrize(("key", "values"), LISTS.items(), ids=LISTS)
def test_what_is_said_of_several(key, values):
    right, wrong = values

    assert compare_routes({key: right}, [routes()], 1e-4) == []
    if wrong is not None:
        assert compare_routes({key: wrong}, [routes()], 1e-4) != []


def test_a_request_that_is_not_there():
    assert "got nothing about this request" in compare_routes({"items": {"x": {"status": 200}}}, [routes()], 1e-4)[0]


SHARED = {"shares": ("a", 0.75), "statuses": (200, 1.0), "models": ("m", 1.0)}


@pytest.mark.parametrize("key", SHARES)
def test_shares_of_calls(key):
    value, share = SHARED[key]
    answers = [route("a"), route("a"), route("b"), route("a")]

    assert compare_routes({key: {value: {"min": share, "max": share}}}, answers, 1e-4) == []
    assert compare_routes({key: {value: {"max": share - 0.1}}}, answers, 1e-4) != []
    assert compare_routes({key: {"nobody": {"max": 0}}}, answers, 1e-4) == []


def test_repeated_calls():
    assert compare_repeated([route("a")], [route("a")]) == []
    assert compare_repeated([routes()], [routes(items=[route("b")])]) != []


def test_what_no_case_may_say():
    for expect in ({"route": {"colour": 1}}, {"inflight": {"a": {"bytes": 1}}}, {"repeatable": False}):
        with pytest.raises(CaseError):
            compare_routes(expect, [{**route("a"), **routes()}], 1e-4)

"""Which decisions are kept, and how clients are told of them."""

import json

import pytest

from bayplan.gateway.relay.decision_records import DecisionRecords
from bayplan.gateway.relay.settings import Records
from bayplan.routing.answer import Answer
from bayplan.routing.requests.routed_request import RoutedRequest


class Explaining:
    def __init__(self, size=0):
        self.size = size

    def explain(self, answer):
        return {"kind": "Route", "message": "é \N{FIRE}" + "x" * self.size}


def asked(word):
    return Answer(RoutedRequest("a", headers={} if word is None else {"x-bayplan-decision": word}), 200)


def test_one_of_so_many_is_kept():
    records = DecisionRecords(Records(every=3))

    assert [records.wants({}) for _ in range(6)] == [False, False, True, False, False, True]


def test_none_is_kept_unless_asked_for():
    records = DecisionRecords(Records(every=0, on_demand=True))

    assert not records.wants({})
    assert records.wants({"x-bayplan-decision": "id"})


SHOWN = {
    "by its id": ("id", 0, {"x-bayplan-decision"}),
    "whole": ("Inline", 0, {"x-bayplan-decision", "x-bayplan-decision-record"}),
    "too long for a header": ("inline", 9_000, {"x-bayplan-decision"}),
    "nobody asked": (None, 0, set()),
}


@pytest.mark.parametrize(("word", "size", "headers"), SHOWN.values(), ids=SHOWN)
def test_headers(word, size, headers):
    records = DecisionRecords(Records(on_demand=True))
    answer = asked(word)
    records.keep(Explaining(size), answer, "mine")

    assert answer.response_headers.keys() == headers
    assert all(each.isascii() for each in answer.response_headers.values())
    assert records.get("mine")["kind"] == "Route"


def test_a_whole_record_is_json():
    records = DecisionRecords(Records(on_demand=True))
    answer = asked("inline")
    records.keep(Explaining(), answer, "mine")

    assert json.loads(answer.response_headers["x-bayplan-decision-record"])["message"] == "é ?"


def test_the_oldest_make_way():
    records = DecisionRecords(Records(kept=2))
    for name in ("a", "b", "a", "c"):
        records.keep(Explaining(), asked(None), name)

    assert [each["request_id"] for each in records.newest(10)] == ["c", "a"]
    assert len(records) == 2


def test_many_requests_at_once_are_not_all_sampled():
    records = DecisionRecords(Records(every=1))

    assert 100 <= sum(records.wants({}) for _ in range(2_000)) < 1_000

"""Why as JSON: the fields of the contract."""

import json

import pytest

from bayplan.placement.answers.why import explain
from bayplan.placement.answers.why_document import why_document
from unit.placement.builders import gpu, planner, role, sized, worker


def server(name, *sizes, **others):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)], **others)


def document(asked, *workers, **others):
    return why_document(explain(planner(*workers), asked), **others)


ASKED = sized(role(gpus={"memory_mib": 60}), name="chat", warnings=("odd",))


def test_the_whole_document():
    found = document(ASKED, server("a", 80))

    assert {key: found[key] for key in ("kind", "workload", "verdict", "proven", "warnings")} == {
        "kind": "Why",
        "workload": "chat",
        "verdict": "fits",
        "proven": True,
        "warnings": ["odd"],
    }
    assert found["gang"] == {"desired": 1, "minimum": 1, "placeable": 1, "blocking": []}
    assert found["workers"] == [
        {
            "worker": "a",
            "feasible": True,
            "tier": "as-requested",
            "rejections": [],
            "score": {
                "total": pytest.approx(0.5),
                "terms": [
                    {
                        "plugin": "binpack",
                        "weight": 1.0,
                        "level": 0,
                        "score": pytest.approx(0.5),
                        "contribution": pytest.approx(0.5),
                        "note": None,
                    }
                ],
            },
            "held_by": [],
            "unusable_cards": [],
        }
    ]


def test_a_worker_that_is_refused():
    (found,) = document(ASKED, server("a", 50))["workers"]

    assert (found["feasible"], found["tier"], found["score"]) == (False, None, None)
    assert found["rejections"] == [
        {
            "code": "gpu-memory-short",
            "filter": "gpu-fit",
            "curable": False,
            "needed": 60,
            "free": 50,
            "short": 10,
            "unit": "MiB",
            "message": "needs 60 MiB on one card, 50 MiB are free",
            "not_known": None,
        }
    ]


def test_who_is_blocked():
    found = document(sized(role(gpus={"memory_mib": 60}), replicas=2), server("a", 80))

    assert found["gang"] == {"desired": 2, "minimum": 1, "placeable": 1, "blocking": ["mine/1"]}


def test_changes_are_handed_on():
    change = {"change": "gpus.memory", "detail": "60 -> 50 MiB", "verified": True}

    assert document(ASKED, server("a", 50), changes=[change])["changes"] == [change]


@pytest.mark.parametrize("size", [80, 50, None])
def test_it_can_be_written(size):
    assert json.loads(json.dumps(document(ASKED, server("a", size))))["kind"] == "Why"

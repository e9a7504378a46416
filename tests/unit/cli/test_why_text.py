import pytest

from bayplan.cli.output import Sheet
from bayplan.cli.why_text import why_parts


def why(**others):
    gang = {"desired": 1, "minimum": 1, "placeable": 0, "blocking": []}
    known = {"workload": "m", "namespace": "default", "verdict": "waiting", "workers": [], "gang": gang}
    return {
        **known,
        "proven": True,
        "unknowns": [],
        "changes_note": None,
        "victims": [],
        "changes": [],
        "warnings": [],
        **others,
    }


def refused(worker, **others):
    rejection = {"code": "cost", "filter": "cost-limit", "curable": False, "needed": None, "free": None, "short": None}
    return {
        "worker": worker, "feasible": False, "tier": None, "score": None, "held_by": [], "unusable_cards": [],
        "rejections": [{**rejection, "unit": "", "message": "costs too much", **others}],
    }  # fmt: skip


def feasible(worker, *terms, total=1.0):
    listed = [
        {
            "plugin": plugin,
            "weight": weight,
            "level": level,
            "score": score,
            "contribution": weight * score,
            "note": note,
        }
        for plugin, weight, level, score, note in terms
    ]
    return {
        "worker": worker, "feasible": True, "tier": "one-gpu", "rejections": [],
        "score": {"total": total, "terms": listed},
    }  # fmt: skip


def rows(document, *, wide=False):
    return [row for part in why_parts(document, wide=wide) if isinstance(part, Sheet) for row in part.rows]


AMOUNTS = {
    "unknown": (None, "-"),
    "whole": (12, "12"),
    "a fraction": (0.5, "0.5"),
    "a list": (["a", "b"], "a, b"),
    "an empty list": ([], "-"),
    "a word": ("x", "x"),
}  # fmt: skip


@pytest.mark.parametrize(("amount", "expected"), AMOUNTS.values(), ids=AMOUNTS)
def test_amounts_of_any_kind_are_shown(amount, expected):
    ((_, _, needed, *_),) = rows(why(workers=[refused("a", needed=amount)]))

    assert needed == expected


def test_the_same_code_with_other_numbers_is_another_line():
    workers = [refused("a", message="costs 3"), refused("b", message="costs 4"), refused("c", message="costs 3")]

    assert [row[0] for row in rows(why(workers=workers))] == ["a, c", "b"]


MADE_OF = {
    "one term": ([("binpack", 1, 0, 0.5, None)], "binpack 0.500"),
    "weights and notes": (
        [("a", 2, 0, 0.5, None), ("b", 1, 0, 1.0, "by name")],
        "a 0.500 x 2 + b 1.000 (by name)",
    ),
    "levels": ([("b", 1, 1, 0.5, None), ("a", 1, -2, 1.0, None)], "first a 1.000, then b 0.500"),
    "no scorer": ([], "-"),
}  # fmt: skip


@pytest.mark.parametrize(("terms", "expected"), MADE_OF.values(), ids=MADE_OF)
def test_what_a_score_is_made_of(terms, expected):
    ((_, _, _, made_of, _),) = rows(why(workers=[feasible("a", *terms)]))

    assert made_of == expected


SMALLER = {
    "nothing smaller": ({}, "-"),
    "a number": ({"not_enough": {"to": 3, "verdict": "waiting"}}, "3: waiting"),
    "several": ({"not_enough": {"to": {"bits": 8, "note": None}, "verdict": "infeasible"}}, "bits 8: infeasible"),
}  # fmt: skip


@pytest.mark.parametrize(("others", "expected"), SMALLER.values(), ids=SMALLER)
def test_changes_are_listed_with_whether_they_were_verified_and_what_is_not_enough(others, expected):
    changes = [{"change": "fewer-gpus", "detail": "2 instead of 4", "verified": True, **others}]

    assert rows(why(changes=changes)) == [("fewer-gpus", "2 instead of 4", "yes", "unknown", expected)]


def test_a_gang_says_how_many_must_stand_together():
    gang = {"desired": 4, "minimum": 3, "placeable": 2, "blocking": ["m/2", "m/3"]}

    assert "2 of 4 replicas can be placed, at least 3 at once; no place for m/2, m/3" in list(
        why_parts(why(gang=gang), wide=False)
    )


def test_a_gang_that_lacks_members_says_so():
    gang = {"desired": 1, "minimum": 3, "placeable": 0, "blocking": ["a"]}

    assert "0 of 1 replicas can be placed, at least 3 at once; no place for a" in list(
        why_parts(why(gang=gang), wide=False)
    )


def test_who_would_have_to_go_is_told():
    victim = {
        "workload": "x",
        "namespace": "default",
        "replica": 0,
        "priority": 1,
        "worker": "a",
        "gpus": [],
        "reason": "so",
    }
    told = [part for part in why_parts(why(victims=[victim]), wide=False) if isinstance(part, Sheet)]

    assert "so" in told[0].rows[0]

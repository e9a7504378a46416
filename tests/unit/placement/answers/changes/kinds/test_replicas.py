from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import asked, change, cluster, held, kinds, worker

ON = cluster(worker("a"), worker("b"))
ONE = {"gpus": {"count": 1}}


def test_as_many_as_fit():
    found = change({**ONE, "replicas": 7}, ON, "replicas")

    assert found["detail"] == "4 replicas instead of 7 (5 does not fit)"
    assert found["not_enough"] == {"to": 5, "verdict": "partly"}


def test_those_that_are_there_already_count():
    on = cluster(worker("a"), bookings=[held("mine", 0)])

    assert change({**ONE, "replicas": 4}, on, "replicas")["to"] == 2


def test_wanting_no_more_than_there_is_is_no_answer():
    on = cluster(worker("a", cards=1), bookings=[held("mine", 0)])

    assert "replicas" not in kinds({**ONE, "replicas": 3}, on)


def test_a_smaller_gang_starts_with_what_fits():
    found = change({**ONE, "replicas": 6, "gang": {}}, ON, "gang-minimum")

    assert (found["from"], found["to"], found["verdict"]) == (6, 4, "partly")
    assert found["detail"] == "gang minimum 6 -> 4: 4 would start (5 does not fit)"


def test_fewer_replicas_than_the_gang_needs_would_never_start():
    spec = {**ONE, "replicas": 6, "gang": {"minimum": 5}}

    assert "replicas" not in kinds(spec, ON)
    assert change(spec, ON, "gang-minimum")["to"] == 4


def test_a_gang_with_fewer_members_than_its_minimum_needs_as_many_as_it_has():
    assert change({**ONE, "replicas": 2, "gang": {"minimum": 5}}, ON, "gang-minimum")["to"] == 2


ROLES = {
    "roles": [
        {"name": "prefill", "replicas": 3, "gpus": {"count": 1}},
        {"name": "decode", "replicas": 3, "gpus": {"count": 1}},
    ]
}


@pytest.mark.parametrize(("role", "number"), [("prefill", 0), ("decode", 1)])
def test_fewer_of_one_role(role, number):
    found = [each for each in asked(ROLES, ON)["changes"] if each["field"] == f"roles[{number}].replicas"]

    assert [each["detail"] for each in found] == [f"role {role}: 1 replica instead of 3 (2 does not fit)"]

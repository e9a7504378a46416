from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, held, kinds, worker

RACKS = cluster(*(worker(f"w{n}", cards=1, rack=f"r{n}", block=f"b{n // 2}", zone=f"z{n // 4}") for n in range(8)))

CASES = {
    "the rack for its block":    (2, "rack",  "block", "one block"),
    "a block is not enough":     (4, "rack",  "zone",  "one zone (one block does not fit)"),
    "nothing but anywhere will": (8, "rack",  None,    "any workers (one zone does not fit)"),
    "the block for its zone":    (3, "block", "zone",  "one zone"),
    "the zone for anywhere":     (6, "zone",  None,    "any workers"),
}  # fmt: skip


@pytest.mark.parametrize(("replicas", "level", "to", "where"), CASES.values(), ids=CASES)
def test_the_narrowest_level_that_holds_all(replicas, level, to, where):
    spec = {"gpus": {"count": 1}, "replicas": replicas, "gang": {"within": level}}

    found = change(spec, RACKS, "within")

    assert (found["field"], found["from"], found["to"]) == ("gang.within", level, to)
    assert found["detail"] == f"let the gang leave its {level}: {where}"


def test_levels_that_nobody_names_are_left_out():
    on = cluster(worker("a", cards=1, nvlinkDomain="n1"), worker("b", cards=1, nvlinkDomain="n2"))

    found = change({"gpus": {"count": 1}, "replicas": 2, "gang": {"within": "nvlink-domain"}}, on, "within")

    assert (found["to"], found["not_enough"]["to"]) == (None, "nvlink-domain")


@pytest.mark.parametrize(
    ("gang", "cards"), [({}, 9), ({"within": "rack"}, 2)], ids=["anywhere already", "no worker is large enough"]
)
def test_no_such_change(gang, cards):
    assert "within" not in kinds({"gpus": {"count": cards}, "replicas": 1, "gang": gang}, RACKS)


def test_the_others_hold_the_rack():
    on = cluster(worker("a", rack="r1"), worker("b", rack="r2"), bookings=[held("x", 0), held("y", 0, on="b")])

    assert change({"gpus": {"count": 1}, "replicas": 2, "gang": {"within": "rack"}}, on, "within")["to"] is None

import pytest

from bayplan.library.read_cluster import read_cluster
from bayplan.manifests.native.short_forms import shortened

CARD = {"model": "L40S", "memory": 49152}
EIGHT = {"count": 8, **CARD}

CARDS = {
    "equal cards":             (EIGHT, EIGHT),
    "one card":                ([CARD], [CARD]),
    "two kinds":               ([EIGHT, {"count": 2, "model": "T4"}], [EIGHT, {"count": 2, "model": "T4"}]),
    "an index that jumps":     ([{"index": 0}, {"index": 4}, {"index": 5}], [{}, {"count": 2, "index": 4}]),
    "serial numbers":          ([{"uuid": "a"}, {"uuid": "b"}], [{"uuid": "a"}, {"uuid": "b"}]),
    "a card that is used":     ([CARD, {**CARD, "observedUsed": 5}], [CARD, {**CARD, "observedUsed": 5}]),
    "another runtime":         ({"count": 2, "runtime": "rocm"}, {"count": 2, "runtime": "rocm"}),
    "two runtimes":            ([{"count": 2}, {"runtime": "rocm", "index": 0}],
                                [{"count": 2}, {"runtime": "rocm", "index": 0}]),
    "a broken card among two": ([CARD, {**CARD, "health": "unhealthy"}], [CARD, {**CARD, "health": "unhealthy"}]),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "short"), CARDS.values(), ids=CARDS)
def test_equal_cards_are_one_entry(gpus, short):
    long = read_cluster({"workers": [{"name": "a", "gpus": gpus}]})

    document = shortened(long)

    assert document["workers"] == [{"name": "a", "status": "ready", "gpus": short}]
    assert read_cluster(document)["workers"] == long["workers"]


FLEETS = {
    "numbered from 0":      ([{"name": "a", "count": 3}], [("a", 3)]),
    "one of them":          ([{"name": "a-0"}], [("a-0", None)]),
    "numbered from 1":      ([{"name": "a-1"}, {"name": "a-2"}], [("a-1", None), ("a-2", None)]),
    "a gap":                ([{"name": "a-0"}, {"name": "a-2"}], [("a-0", None), ("a-2", None)]),
    "a zero before":        ([{"name": "a-0"}, {"name": "a-01"}], [("a-0", None), ("a-01", None)]),
    "one differs":          ([{"name": "a-0"}, {"name": "a-1"}, {"name": "a-2", "ram": 1}], [("a", 2), ("a-2", None)]),
    "an identity of its own": ([{"name": "a-0"}, {"name": "a-1", "uid": "x"}], [("a-0", None), ("a-1", None)]),
    "two fleets":           ([{"name": "a", "count": 2}, {"name": "b", "count": 2}], [("a", 2), ("b", 2)]),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "short"), FLEETS.values(), ids=FLEETS)
def test_equal_workers_are_one_entry_where_their_names_allow_it(workers, short):
    long = read_cluster({"workers": workers})

    document = shortened(long)

    assert [(each["name"], each.get("count")) for each in document["workers"]] == short
    assert read_cluster(document)["workers"] == long["workers"]

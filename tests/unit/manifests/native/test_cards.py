"""The cards of a worker: list and short form, and what is shared."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.manifests.native.cards import Shelf, mig_instance
from unit.manifests.opened import opened, places


def read(gpus, shelf=None):
    fields = opened({"gpus": gpus})
    return (shelf or Shelf()).read(fields), fields


READ = {
    "none": (None, ()),
    "an empty list": ([], ()),
    "the short form": ({"count": 2, "model": "L4", "memory": "24Gi"}, (
        Gpu(0, model="L4", memory_mib=24576), Gpu(1, model="L4", memory_mib=24576))),
    "one card in the short form": ({"model": "L4"}, (Gpu(0, model="L4"),)),
    "no card at all": ({"count": 0, "model": "L4"}, ()),
    "indices by position": ([{}, {"runtime": "rocm"}], (Gpu(0), Gpu(1, "rocm"))),
    "an index of its own": ([{"index": 3}], (Gpu(3),)),
    "kinds counted in a list": ([{"count": 2, "model": "A"}, {"model": "B"}], (
        Gpu(0, model="A"), Gpu(1, model="A"), Gpu(2, model="B"))),
    "everything": ([{
        "runtime": "cuda", "index": 1, "uuid": "GPU-1", "model": "A100-SXM4-40GB", "memory": 40960, "numa": 1,
        "pcieGen": "4", "health": "unhealthy", "observedUsed": "1.5Gi",
        "mig": {"enabled": True, "reconfigurable": True, "slices": [{"profile": "3g.20gb", "start": 4}]}}],
        (Gpu(1, "cuda", "GPU-1", "A100-SXM4-40GB", 40960, 1, 4, False, 1536,
             MigState(True, True, (MigInstance("3g.20gb", 4),))),)),
    "mig alone is enabled": ([{"mig": {}}], (Gpu(0, mig=MigState()),)),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "cards"), READ.values(), ids=READ)
def test_cards(gpus, cards):
    found, fields = read(gpus)

    assert found == cards
    assert not fields.findings.errors
    assert not fields.findings.warnings


REFUSED = {
    "no list": ("eight", ["gpus"]),
    "a card that is no mapping": ([1], ["gpus[0]"]),
    "no size": ([{"memory": "fortyGi"}], ["gpus[0].memory"]),
    "a negative index": ([{}, {"index": -1}], ["gpus[1].index"]),
    "a count that is none": ({"count": "many"}, ["gpus.count"]),
    "too many": ({"count": 10**9}, ["gpus.count"]),
    "too many together": ([{"count": 1000}, {"count": 1000}], ["gpus"]),
    "no such health": ([{"health": "ill"}], ["gpus[0].health"]),
    "two at once": ([{"memory": -1, "pcieGen": "x"}], ["gpus[0].memory", "gpus[0].pcieGen"]),
    "a slice without a profile": ([{"mig": {"slices": [{"start": 0}]}}], ["gpus[0].mig.slices[0].profile"]),
    "a slice that such cards cannot hold": (
        [{"model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"slices": [{"profile": "9g.1gb", "start": 0}]}}],
        ["gpus[0].mig.slices[0].profile"]),
    "an integer that cannot be printed": ([{"memory": 10**5000}], ["gpus[0].memory"]),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(gpus, where):
    assert places(read(gpus)[1]) == where


def test_a_value_too_deep_to_be_written_down_is_no_traceback():
    deep = []
    for _ in range(100_000):
        deep = [deep]

    assert places(read([{"memory": deep}])[1]) == ["gpus[0].memory"]


def test_unknown_fields_are_warnings_each_time():
    shelf = Shelf()
    first, second = read([{"modle": "A"}], shelf)[1], read([{"modle": "A"}], shelf)[1]

    assert len(first.findings.warnings) == len(second.findings.warnings) == 1


def test_what_is_wrong_is_told_each_time():
    shelf = Shelf()

    assert places(read([{"memory": "x"}], shelf)[1]) == places(read([{"memory": "x"}], shelf)[1]) == ["gpus[0].memory"]


def test_equal_lists_are_one_tuple():
    shelf = Shelf()
    gpus = {"count": 8, "model": "L4"}

    assert read(gpus, shelf)[0] is read(dict(gpus), shelf)[0]
    assert read(gpus, shelf)[0] is not read({"count": 7, "model": "L4"}, shelf)[0]


def test_cards_that_differ_in_their_serial_numbers_alone():
    shelf = Shelf()
    like = {"model": "A100-SXM4-80GB", "memory": "80Gi", "mig": {"reconfigurable": True}, "health": "unhealthy"}
    first, _ = read([{**like, "uuid": "a", "index": 4, "observedUsed": 5}], shelf)
    second, _ = read([{**like, "uuid": "b"}, {**like, "uuid": "c", "observedUsed": "1Gi"}], shelf)

    alone, _ = read([{**like, "uuid": "b"}, {**like, "uuid": "c", "observedUsed": "1Gi"}])
    assert second == alone
    assert first[0].index == 4
    assert [gpu.observed_used_mib for gpu in second] == [None, 1024]


def test_numbers_and_truths_that_python_thinks_equal_are_told_apart():
    shelf = Shelf()
    read([{"memory": 1}], shelf)

    assert places(read([{"memory": True}], shelf)[1]) == ["gpus[0].memory"]


def test_a_start_may_be_unknown():
    assert mig_instance(opened({"profile": "1g.5gb"})) == MigInstance("1g.5gb")

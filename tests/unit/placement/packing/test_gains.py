"""What the future wins or loses, compiled and not, and taken apart."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.gains import gains, losses, plain_gains
from bayplan.placement.packing.mix import Mix
from bayplan.placement.packing.outlook import LOST_CARDS, look_out
from bayplan.placement.packing.room_left import READS
from unit.placement.builders import ask, gpu, worker
from unit.placement.scorers.packed import held, host, part, percent, wholes

T4 = wholes(1, rule=CardRule(models=("T4",)))
MIX = Mix({wholes(8): 1, wholes(1, 4): 30, percent(30, 2): 30, percent(81): 10, ask(cpu_milli=8000): 9, T4: 4})
FLEET = (
    host(8, 64, name="idle"),
    host(8, 64, name="used"),
    host(2, 8, name="small"),
    worker("t4", cards=[gpu(0, model="T4", memory_mib=16_384)], cpu_milli=4000),
    host(0, 16, name="none"),
)
BOOKED = (held(0, 1, 2, on="used"), held(3, mib=8192, on="used"))


def shown():
    """The outlook of that fleet, its rows, and where each worker stands in them."""
    snapshot = Snapshot.load(FLEET, BOOKED)
    rows = SimpleNamespace(size=len(FLEET), **{name: snapshot.table.columns[name] for name in (*READS, "uid_hash")})
    return look_out(MIX, snapshot.table), rows, snapshot.rows


DEMANDS = [wholes(1, 4), wholes(8), wholes(3), percent(30, 2), percent(70), part(10_240), part(4096, 2), ask(), T4]


@pytest.mark.parametrize("asked", DEMANDS, ids=lambda each: f"{each.taking}-{each.compute_milli}-{each.shapes}")
def test_the_compiled_way_comes_to_the_same(asked):
    outlook, rows, _ = shown()

    plain = plain_gains(outlook, demand_of(asked), rows)
    assert gains(outlook, demand_of(asked), rows).tolist() == (plain / outlook.unit).tolist()


def test_what_does_not_fit_loses_more_than_anything_that_does():
    outlook, rows, place = shown()
    found = plain_gains(outlook, demand_of(wholes(8)), rows)

    assert found[place["small"]] == found[place["none"]] == -LOST_CARDS * outlook.unit
    assert found[place["idle"]] > -LOST_CARDS * outlook.unit


def test_the_parts_make_up_the_whole():
    outlook, rows, place = shown()
    demand = demand_of(percent(30, 2))
    parts = losses(outlook, demand, rows)
    fit = [place["idle"], place["used"], place["small"]]

    assert (-sum(parts))[fit] == pytest.approx(gains(outlook, demand, rows)[fit])


def test_each_part_is_lost_where_it_should_be():
    outlook, rows, place = shown()
    parts = losses(outlook, demand_of(wholes(1, 4)), rows)

    assert parts.room[place["idle"]] > 0 == parts.room[place["used"]]
    assert parts.scarcity[place["t4"]] > parts.scarcity[place["idle"]]
    assert parts.scarcity[place["idle"]] == 0


def test_without_the_compiled_extra_the_plain_way_is_taken(monkeypatch):
    monkeypatch.setattr("bayplan.placement.packing.gains._compiled", lambda: None)
    outlook, rows, _ = shown()
    demand = demand_of(percent(30, 2))

    assert gains(outlook, demand, rows).tolist() == (plain_gains(outlook, demand, rows) / outlook.unit).tolist()


def test_no_rows_no_gains():
    outlook, rows, _ = shown()
    none = SimpleNamespace(size=0, **{name: getattr(rows, name)[:0] for name in (*READS, "uid_hash")})

    assert gains(outlook, demand_of(wholes(1)), none).tolist() == []
    assert np.asarray(gains(outlook, demand_of(wholes(1)), none)).dtype == np.float64

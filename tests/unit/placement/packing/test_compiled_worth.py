"""The compiled kernel against the plain one, on random states: whole numbers, so every bit is the same."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.packing.compiled_worth import CompiledWorth
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.gains import plain_gains
from bayplan.placement.packing.mix import Mix
from bayplan.placement.packing.outlook import look_out
from bayplan.placement.packing.room_left import READS
from unit.placement.builders import ask, gpu, worker
from unit.placement.scorers.packed import part, percent, wholes

ROWS, WIDTH = 40, 8
ASKS = (
    wholes(1, 4), wholes(2, 8), wholes(8), percent(30, 2), percent(81), percent(10), part(10_240), part(4096, 2),
    ask(cpu_milli=6000, ram_mib=512), wholes(1, rule=CardRule(models=("T4",))),
)  # fmt: skip


def random_rows(seed):
    """Workers of two models in states that no history need have led to."""
    chance = np.random.default_rng(seed)
    cards = [[gpu(place, model=model) for place in range(WIDTH)] for model in ("T4", "A100-SXM4-40GB")]
    snapshot = Snapshot.load([worker(f"w{number}", cards=cards[number % 2]) for number in range(ROWS)])
    rows = SimpleNamespace(size=ROWS, **{name: snapshot.table.columns[name] for name in (*READS, "uid_hash")})
    shape = (ROWS, WIDTH)
    rows.cpu_free_milli = chance.integers(-1, 24_000, ROWS)
    rows.ram_free_mib = chance.integers(-1, 4096, ROWS)
    rows.card_free_milli = chance.choice([0, 190, 400, 700, 1000], shape).astype(np.int32)
    rows.card_share_free_mib = chance.integers(-1, 40_960, shape)
    rows.card_wholly_free = chance.random(shape) < 0.4
    rows.card_shareable = rows.card_wholly_free | (chance.random(shape) < 0.7)
    return snapshot, rows


@pytest.mark.parametrize("seed", range(4))
def test_same_numbers(seed):
    snapshot, rows = random_rows(seed)
    outlook = look_out(Mix.of(ASKS), snapshot.table, epoch=seed)
    compiled = CompiledWorth(outlook)
    for asked in ASKS:
        demand = demand_of(asked)
        assert compiled.gains(demand, rows).tolist() == plain_gains(outlook, demand, rows).tolist()


def test_what_is_remembered_changes_no_answer():
    snapshot, rows = random_rows(9)
    compiled = CompiledWorth(look_out(Mix.of(ASKS), snapshot.table))
    fresh = [compiled.gains(demand_of(asked), rows).tolist() for asked in ASKS]

    assert [compiled.gains(demand_of(asked), rows).tolist() for asked in ASKS] == fresh

"""Which filters and weights only some workloads need."""

import pytest

from bayplan.cluster.topology import Level
from bayplan.cluster.workload import Shape
from bayplan.placement.constraints.extras import NONE, Extras, extras_of
from unit.placement.builders import ask

ASKED = {
    "nothing": ([ask()], None, NONE),
    "somebody to avoid": ([ask(), ask(anti_affinity=("b",))], None, Extras(avoids=True)),
    "a price": ([ask(max_usd_per_hour=0.0)], None, Extras(pays=True)),
    "a sample": ([ask()], Shape(max_workers_to_score=5), Extras(sample=5)),
    "weights": ([ask()], Shape(weights=(("carbon", 3.0),)), Extras(weights=(("carbon", 3.0),))),
}


@pytest.mark.parametrize(("asks", "shape", "extras"), ASKED.values(), ids=ASKED)
def test_what_asks_need(asks, shape, extras):
    assert extras_of(asks, shape) == extras


def test_levels_that_members_keep_to():
    assert extras_of([ask()], within=Level.RACK, spread=Level.ZONE) == Extras(within=Level.RACK, spread=Level.ZONE)
    assert extras_of([ask()], shares_spot=True) == Extras(shares_spot=True)

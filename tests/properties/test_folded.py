"""Folded = plain = oracle, bit for bit, whatever the profile and whatever happens to the table."""

from hypothesis import given

from bayplan.framework.cycle import Cycle
from bayplan.framework.list_table import ListTable
from properties import oracle
from properties.checker import bits, picked, walk
from properties.strategies import asks, budgets, journeys, nows, plans, worlds
from properties.worlds import scheduler_of, table_of


@given(plans(), worlds(), budgets, journeys)
def test_folded_equals_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey)


@given(plans(among={"static", "row"}), worlds(), budgets, journeys)
def test_what_is_kept_equals_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey)


@given(plans(), worlds(), asks, nows)
def test_lists_equal_the_oracle(plan, world, ask, now):
    table = table_of(world, ListTable)
    scheduler = scheduler_of(plan, table)
    wanted = oracle.totals(plan, world, ask, now)

    totals = scheduler.evaluator("p").totals(ask, Cycle("s", ask, now=now))

    assert totals.survivors() == [row for row, total in enumerate(wanted[0]) if total != -oracle.inf]
    for row in totals.survivors():
        assert bits(totals.total(row)) == bits([level[row] for level in wanted])
    picked(scheduler.schedule("s", ask, now=now), wanted)

"""Folded = plain = oracle, bit for bit, whatever the profile and whatever happens to the table."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation import row_loop
from bayplan.framework.list_table import ListTable
from bayplan.library.numba_compiler import NumbaCompiler
from properties import oracle
from properties.checker import bits, picked, walk
from properties.oracle import Plan, Use
from properties.strategies import asks, budgets, journeys, nows, plans, worlds
from properties.worlds import scheduler_of, table_of


@given(plans(), worlds(), budgets, journeys)
def test_folded_equals_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey)


@given(plans(among={"static", "row"}), worlds(), budgets, journeys)
def test_what_is_kept_equals_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey)


class PlainCompiler:
    """Runs a kernel's text as plain Python on arrays, from the first redo on."""

    after = 0

    def __init__(self):
        self.compiled = 0

    def compile(self, text, *, afresh=False):
        names = {"compiled": lambda function: function, "inf": np.inf, "nan": np.nan}
        exec(text, names)  # noqa: S102 (the framework's own text)
        self.compiled += 1
        return names["redo"]


@pytest.fixture(scope="module", autouse=True)
def _loops_from_the_first_redo_on():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_loop, "REDOS_BEFORE_LOOP", 0)
        yield


@given(plans(among={"row"}), worlds(), budgets, journeys)
def test_plain_loops_equal_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey)


@given(plans(among={"static", "row"}), worlds(), budgets, journeys)
def test_kernels_equal_plain_equals_oracle(plan, world, budget_bytes, journey):
    walk(plan, world, budget_bytes, journey, PlainCompiler())


ALL_ROWS = Plan(
    (Use("free-enough"), Use("some-card", 1), Use("under-cap"), Use("fitting")),
    (
        Use("cheap", weight=0.3), Use("fullness", weight=0.1), Use("rated", weight=-1.0), Use("cards", level=1),
        Use("room", weight=0.7), Use("eligible", scale=100),
    ),
)  # fmt: skip
"""Each kind of plugin with a twin: one kernel, because numba needs a second for each."""


@pytest.fixture(scope="module")
def numba_compiler(tmp_path_factory):
    pytest.importorskip("numba")
    return NumbaCompiler(after=0, folder=tmp_path_factory.mktemp("kernels"))


@settings(max_examples=60)
@given(world=worlds(), budget_bytes=budgets, journey=journeys)
def test_compiled_loops_equal_plain_equals_oracle(numba_compiler, world, budget_bytes, journey):
    walk(ALL_ROWS, world, budget_bytes, journey, numba_compiler)


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


TAME = ("fullness", "cards", "eligible", "cheap", "relative")  # scorers that hardly ever leave their range
tame_plans = st.builds(
    Plan,
    st.lists(st.builds(Use, st.sampled_from(("free-enough", "some-card", "uncordoned"))), max_size=2).map(tuple),
    st.lists(
        st.builds(Use, st.sampled_from(TAME), weight=st.sampled_from((1.0, 0.3, 0.1, -2.0)), level=st.integers(0, 1)),
        min_size=2,
        max_size=6,
    ).map(tuple),
)


@settings(max_examples=300)
@given(tame_plans | plans(), st.lists(st.tuples(worlds(), asks, nows), min_size=1, max_size=4))
def test_new_tables_of_lists_equal_the_oracle(plan, met):
    """One scheduler, a new table for each ask: twins are written once, whatever the rows and the asks."""
    scheduler = scheduler_of(plan, table_of(met[0][0], ListTable))

    for world, ask, now in met:
        table, wanted = table_of(world, ListTable), oracle.totals(plan, world, ask, now)
        totals = scheduler.evaluator("p", table).totals(ask, Cycle("s", ask, now=now))
        assert totals.survivors() == [row for row, total in enumerate(wanted[0]) if total != -oracle.inf]
        for row in totals.survivors():
            assert bits(totals.total(row)) == bits([level[row] for level in wanted])
        picked(scheduler.schedule("s", ask, table=table, now=now), wanted)

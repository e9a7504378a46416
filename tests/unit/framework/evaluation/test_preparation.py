"""Plugins that may skip a run: who is asked, with what, and what it means for the answer."""

import numpy as np
import pytest

from bayplan.framework.cycle import Key
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.definition import define
from bayplan.framework.evaluation.preparation import TableFacts
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.table import Table
from unit.framework.builders import (
    Handles,
    Keeps,
    Makes,
    Scores,
    cycle,
    freest,
    roomy,
    rows_of,
    run,
    scheduler,
    table,
)  # fmt: skip

CYCLE, TABLE = Depends.CYCLE, Depends.TABLE
KEPT = (None,)
LATE = (CYCLE, TABLE)


def skip(ask, table, cycle):
    return SKIP


def take_part(ask, table, cycle):
    return None


def said(value, dtype):
    """A formula that says the same of each row, in the storage of the rows."""
    return lambda a, r, c: [value] * r.size if isinstance(r.free, list) else np.full(r.size, value, dtype)


def never(name="never", depends=None, **more):
    """A filter that refuses every row."""
    return Keeps(name, ("free",), said(False, np.bool_), depends, **more)


def full(name="full", depends=None, **more):
    """A scorer that gives 1.0 to every row."""
    return Scores(name, ("free",), said(1.0, np.float64), depends, **more)


@pytest.mark.parametrize("kind", [Table, ListTable])
@pytest.mark.parametrize("depends", [*KEPT, *LATE])
@pytest.mark.parametrize("make", [never, full])
def test_a_plugin_that_skips_is_not_called_and_adds_nothing(make, depends, kind):
    skipping = make(depends=depends, prepare=skip)
    mine = scheduler(full("other"), skipping, on=table(kind=kind))

    outcome = mine.schedule("me", explained=True)

    assert (rows_of(outcome), outcome.picked[0].total, skipping.shown) == ([0], 1.0, [])
    assert [term.scorer for term in outcome.picked[0].terms] == ["other"]
    assert outcome.primary.inactive == outcome.explanations["p"].inactive == (skipping.name,)
    assert outcome.record()["runs"][0]["inactive"] == [skipping.name]
    assert outcome.primary.skipped == {}
    assert outcome.explanations["p"].counts() == {}


@pytest.mark.parametrize("kind", [Table, ListTable])
@pytest.mark.parametrize("depends", [*KEPT, *LATE])
def test_a_plugin_that_takes_part_is_as_one_without_prepare(depends, kind):
    mine = scheduler(never(depends=depends, prepare=take_part), on=table(kind=kind))

    outcome = mine.schedule("me")

    assert (outcome.ok, outcome.primary.inactive, outcome.explanations["p"].inactive) == (False, (), ())
    assert outcome.explanations["p"].counts() == {"never": 3}


@pytest.mark.parametrize("depends", [*KEPT, *LATE])
def test_it_is_asked_once_a_run(depends):
    asked = []
    mine = scheduler(freest(depends=depends, prepare=lambda ask, table, cycle: asked.append(ask)))

    for _ in range(3):
        mine.schedule("me", "ask")

    assert asked == ["ask"] * 3


@pytest.mark.parametrize("kind", [Table, ListTable])
def test_a_plugin_that_is_asked_every_time_may_decide_by_the_cycle_and_the_table(kind):
    def prepare(ask, table, cycle):
        return SKIP if cycle.now < 5 or table.columns["free"][0] == 0 else None

    mine = scheduler(never(depends=CYCLE, prepare=prepare), on=table(kind=kind))

    answers = [mine.schedule("me", now=now).ok for now in (1.0, 6.0, 2.0)]
    mine.table.write(0, {"free": 0})

    assert [*answers, mine.schedule("me", now=6.0).ok] == [True, False, True, True]


def test_what_it_works_out_is_there_when_the_plugin_is_asked_and_when_it_is_explained():
    most = Key("most")
    told = []

    def prepare(ask, table, cycle):
        cycle.put(most, int(table.columns["free"].max()))

    def mask(ask, rows, cycle):
        told.append(cycle.get(most))
        return rows.free == cycle.get(most) + 1

    mine = scheduler(Keeps("best", ("free",), mask, CYCLE, prepare=prepare))

    assert (mine.schedule("me").ok, told) == (False, [3, 3])


def test_explaining_a_run_asks_again_because_a_later_run_left_its_own_state():
    key = Key("need")

    def prepare(ask, table, cycle):
        cycle.put(key, ask)

    needs = Keeps("needs", ("free",), lambda a, r, c: r.free >= c.get(key), CYCLE, prepare=prepare)
    batch = [run(name="high", ask=9), run(name="higher", ask=3 + 8)]
    outcome = scheduler(needs, handler=Handles(batch, primary="high")).schedule("me")

    counts = {name: each.counts() for name, each in outcome.explanations.items()}
    assert counts == {"high": {"needs": 3}, "higher": {"needs": 3}}


class Looks:
    """What a `prepare` looked at."""

    def __init__(self):
        self.facts = []

    def __call__(self, ask, table, cycle):
        self.facts.append((type(table), table.schema.names, dict(table.shared)))


@pytest.mark.parametrize("reads", ["zone", "free"])
def test_kept_plugins_are_shown_the_facts_of_the_table_that_never_change(reads):
    looks = Looks()
    keeps = Keeps("k", (reads,), lambda a, r, c: getattr(r, reads) > 0, prepare=looks)
    on = Table(static={"zone": [1]}, state={"free": [1]}, shared={"price": 2.0}, constants={"names": ("a",)})

    scheduler(keeps, on=on).evaluator("p").sync("a")

    assert looks.facts == [(TableFacts, {"zone", "free", "price", "names"}, {"names": ("a",)})]


WRONG = {
    "it looks at a column": (lambda a, t, c: t.columns["free"], None, "looks at table.columns in prepare"),
    "it looks at the cycle": (lambda a, t, c: c.now, None, "looks at cycle.now"),
    "it raises": (lambda a, t, c: 1 / 0, None, "raised ZeroDivisionError"),
    "it raises, asked every time": (lambda a, t, c: 1 / 0, CYCLE, "raised ZeroDivisionError"),
    "it says yes": (lambda a, t, c: True, None, "answered True in prepare where SKIP or None was asked for"),
    "it says no, asked every time": (lambda a, t, c: False, TABLE, "answered False in prepare"),
}  # fmt: skip


@pytest.mark.parametrize(("prepare", "depends", "message"), WRONG.values(), ids=WRONG)
def test_a_broken_prepare_is_a_broken_plugin(prepare, depends, message):
    broken = never(depends=depends, prepare=prepare)

    with pytest.raises(PluginError, match=f"plugin never: {message}") as caught:
        scheduler(broken).schedule("me")
    if not message.startswith("raised"):
        assert caught.value.next.startswith(("look at the ask, table.schema", "declare `depends", "return SKIP"))

    outcome = scheduler(broken, freest(), skip_broken=True).schedule("me", explained=True)

    assert rows_of(outcome) == [0]
    assert message in outcome.primary.skipped["never"]
    assert (outcome.primary.inactive, broken.shown) == ((), [])


def test_what_is_asked_of_the_facts_by_python_itself_is_no_mistake():
    facts = TableFacts(table())

    assert not hasattr(facts, "__len__")
    with pytest.raises(PluginError, match=r"looks at table\.size in prepare"):
        _ = facts.size


def test_a_required_filter_with_a_broken_prepare_is_never_left_out():
    with pytest.raises(PluginError, match="plugin never: raised"):
        scheduler(never(prepare=lambda a, t, c: 1 / 0, required=True), skip_broken=True).schedule("me")


def test_what_one_run_left_out_is_not_told_of_the_next():
    mine = scheduler(never(depends=CYCLE, prepare=lambda a, t, c: 1 / c.now and None), skip_broken=True)

    assert (list(mine.schedule("me").primary.skipped), mine.schedule("me", now=1.0).primary.skipped) == (["never"], {})


def halves(**more):
    return Makes("half", ("free",), lambda a, r, c: {"half": r.free / 2}, produces=("half",), **more)


def halved(**more):
    return Scores("halved", ("half",), lambda a, r, c: r.half / 10, **more)


@pytest.mark.parametrize("depends", [*KEPT, *LATE])
def test_a_producer_whose_readers_all_skip_is_not_called(depends):
    producer = halves(depends=depends)

    outcome = scheduler(producer, halved(prepare=skip), freest()).schedule("me")

    assert (producer.shown, outcome.primary.inactive) == ([], ("halved",))


def test_a_producer_may_skip_where_its_readers_do():
    producer = halves(prepare=skip)

    outcome = scheduler(producer, halved(prepare=skip), freest()).schedule("me", explained=True)

    assert (producer.shown, outcome.primary.inactive) == ([], ("half", "halved"))


def test_a_producer_that_skips_under_a_reader_is_told():
    message = "plugin half: skips this run, but 'halved' takes part and reads its column 'half'; let 'halved' skip too"

    with pytest.raises(PluginError, match=message):
        scheduler(halves(prepare=skip), halved()).schedule("me")


def test_columns_that_only_explanations_read_count_too():
    reader = Keeps("k", ("free",), lambda a, r, c: r.free > 0, explain_reads=("half",))

    with pytest.raises(PluginError, match="'k' takes part and reads its column 'half'"):
        scheduler(halves(prepare=skip), reader).schedule("me")


def test_draws_of_prepare_are_its_own_and_the_same_when_explained():
    drawn = []

    def draw(*_):
        drawn.append(_[2].chance(1 << 30))

    def mask(ask, rows, cycle):
        drawn.append(cycle.chance(1 << 30))
        return rows.free < 0

    scheduler(Keeps("lots", ("free",), mask, CYCLE, prepare=draw)).schedule("me", seed=3)
    prepared, decided, again, explained = drawn

    assert (prepared, decided) == (again, explained)
    assert prepared != decided


def test_an_empty_table_asks_nobody():
    asked = []
    mine = scheduler(freest(prepare=lambda *_: asked.append(1)), on=table(free=(), zone=()))

    assert (mine.schedule("me").ok, asked) == (False, [])
    assert define(mine.evaluator("p").binding, mine.table, "ask", cycle())[0].tolist() == []
    assert asked == []


def test_the_plain_definition_knows_who_skips():
    mine = scheduler(freest(), never(prepare=skip), full(depends=TABLE, prepare=skip))

    (level,) = define(mine.evaluator("p").binding, mine.table, "ask", cycle())

    assert level.tolist() == [0.3, 0.1, 0.2]


def test_profiles_without_prepare_have_nobody_to_ask():
    mine = scheduler(freest(), roomy())
    evaluator = mine.evaluator("p")

    assert evaluator.active("ask", cycle()) is evaluator

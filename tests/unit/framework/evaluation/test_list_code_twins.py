"""Twins in written-out code for lists give what their plugins give."""

from dataclasses import dataclass

import pytest

from bayplan.framework.evaluation import list_evaluator
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Profile, Weighted
from bayplan.framework.table import Table
from bayplan.framework.twins import EVERY_ROW, Twin
from unit.framework.builders import Keeps, Makes, Scores, Spy, scheduler, table
from unit.framework.evaluation.list_codes import boom, most


@dataclass(frozen=True)
class Ask:
    least: int = 2
    by: float = 10.0
    plain: bool = False


def at_least(least, free):
    return free >= least


def part(by, free):
    return free / by


def dear(free, price):
    return free * price / 10


def halved(half):
    return half / 10


def in_steps(by, free):
    total = 0.0
    for _ in range(free):
        total = total + 1.0
    return total / by


def through_another(by, free):
    return part(by, free)


def two_values(by, free):
    return free, by


def quarter():
    return 0.25


def half():
    return 0.5


def whole():
    return 1.0


def picky(least, free):
    return 6 // (free - 1) > 0


def counts_below(least, free):
    return free if free < least else True


def little_above(by, free):
    return 1.0 + free / 10


def below_zero(by, free):
    return -free / 10


def by_nothing(by, free):
    return free / (free - free)


def above_one(by, free):
    return free * 1.0


def no_number(by, free):
    return 1e400 - 1e400 if free > 1 else 0.5


def no_number_below(by, free):
    return 1e400 - 1e400 if free < 2 else 0.5


def a_number(least, free):
    return int(free >= least)


def roomy(name="roomy", function=at_least, **more):
    """A filter with a twin; `shown` tells whether it was called."""

    def call(ask, rows, cycle):
        return [function(ask.least, free) for free in rows.free]

    return Keeps(name, ("free",), call, twin=lambda ask, shared: Twin(function, (ask.least,)), **more)


def parts(name="parts", function=part, **more):
    """A scorer with a twin, except for plain asks."""

    def call(ask, rows, cycle):
        return [function(ask.by, free) for free in rows.free]

    def twin(ask, shared):
        return None if ask.plain else Twin(function, (ask.by,))

    return Scores(name, ("free",), call, twin=twin, **more)


def crowd(name="crowd"):
    """A scorer that looks at others: it has no twin."""
    return Scores(name, ("free",), lambda a, r, c: [free / max(r.free) for free in r.free], Depends.TABLE)


def made_half():
    return Makes("half", ("free",), lambda a, r, c: {"half": [each / 2 for each in r.free]}, produces=("half",))


TWINS = {
    "a filter": lambda: [roomy()],
    "a scorer": lambda: [parts()],
    "both": lambda: [roomy(), parts()],
    "filters": lambda: [roomy(), roomy("again"), Keeps("zoned", ("zone",), lambda a, r, c: [z < 1 for z in r.zone])],
    "weights": lambda: [Weighted(parts(), -2.5), Weighted(parts("second"), 0.1), Weighted(parts("third"), 0)],
    "levels": lambda: [Weighted(parts(), 1.0, level=3), Weighted(parts("second"), 2.0), roomy()],
    "an empty level": lambda: [roomy()],
    "another scale": lambda: [parts(function=in_steps, scale=100), roomy()],
    "a scorer that looks at others": lambda: [crowd(), parts(), roomy()],
    "nothing left but who is called": lambda: [crowd(), roomy()],
    "a called scorer between twins": lambda: [
        parts(),
        Scores("free", ("free",), lambda a, r, c: [free / 17 for free in r.free]),
        Weighted(parts("last"), 0.3),
        Weighted(parts("other level"), 0.7, level=1),
        roomy(),
    ],
    "a called scorer and no filter": lambda: [parts(), crowd()],
    "a called filter and twins that score": lambda: [
        Keeps("zoned", ("zone",), lambda a, r, c: [zone < 1 for zone in r.zone]), parts(), crowd(),
    ],
    "no columns at all": lambda: [
        Scores("same", (), lambda a, r, c: [0.25] * r.size, twin=lambda ask, shared: Twin(quarter)),
    ],
    "every row passes": lambda: [
        Keeps("all", ("free",), lambda a, r, c: [True] * r.size, twin=lambda ask, shared: EVERY_ROW), parts(),
    ],
    "a shared value": lambda: [
        Scores(
            "dear", ("free", "price"), lambda a, r, c: [dear(free, r.price) for free in r.free],
            twin=lambda ask, shared: Twin(dear),
        ),
    ],
    "a shared value as a constant": lambda: [
        Scores(
            "dear", ("free", "price"), lambda a, r, c: [part(r.price * 100, free) for free in r.free],
            twin=lambda ask, shared: Twin(part, (shared["price"] * 100,), ("free",)),
        ),
    ],
    "a produced column": lambda: [
        made_half(), roomy(),
        Scores(
            "halved", ("half",), lambda a, r, c: [each / 10 for each in r.half],
            twin=lambda ask, shared: Twin(halved),
        ),
    ],
    "a function with a loop": lambda: [parts(function=in_steps), roomy()],
    "a function that calls another": lambda: [parts(function=through_another), roomy()],
}  # fmt: skip


def with_and_without(plugins, *asks, **more):
    """What is recorded of all rows that pass, ask after ask: with twins, and with all plugins called."""
    records = []
    for observers in ([], [Spy()]):  # observers are told of each call, so that no plugin is left out
        on = table((3, 1, 2, 9), [0, 0, 1, 0], ListTable, price=0.5)
        mine = scheduler(*plugins(), on=on, observers=observers, **more)
        records.append([mine.schedule("s", ask, want=Want(9)).record() for ask in asks])
    return records


@pytest.mark.parametrize("plugins", TWINS.values(), ids=TWINS)
def test_twins_give_what_the_plugins_give(plugins):
    asks = [Ask(), Ask(least=3, by=11.0), Ask(by=13.7), Ask(least=10), Ask(plain=True), Ask(by=1.0), Ask(by=2.0)]
    inlined, called = with_and_without(plugins, *asks)

    for ask, one, other in zip(asks, inlined, called, strict=True):
        assert (ask, repr(one)) == (ask, repr(other))  # so that 0.0 and -0.0 differ


def calls(plugins, *asks, **more):
    """How often each plugin is called for these asks, one after the other."""
    mine = scheduler(*plugins, on=table((3, 1, 2), kind=ListTable, price=0.5), **more)
    for ask in asks:
        mine.schedule("s", ask)
    return {plugin.name: len(plugin.shown) for plugin in plugins}


def test_plugins_with_twins_are_not_called_and_the_others_see_the_survivors():
    plugins = [roomy(), parts(), crowd()]

    assert calls(plugins, Ask(), Ask(3), Ask(by=12.0)) == {"roomy": 0, "parts": 0, "crowd": 3}
    assert plugins[2].shown == [2, 1, 2]


def test_a_called_filter_and_a_twin_without_columns():
    same = Scores("same", (), boom, twin=lambda ask, shared: Twin(quarter))

    assert calls([most(), same], Ask(), Ask()) == {"most": 2, "same": 0}


def test_asks_without_a_twin_take_turns_with_asks_that_have_one():
    assert calls([parts(), roomy()], Ask(), Ask(plain=True), Ask(), Ask(plain=True)) == {"parts": 2, "roomy": 0}
    assert calls([parts(), roomy()], Ask(plain=True), Ask(), Ask(plain=True), Ask()) == {"parts": 2, "roomy": 0}


def test_functions_and_columns_of_twins_may_depend_on_the_ask():
    def twin(ask, shared):
        if ask.least == 9:
            return Twin(part)  # of all that the plugin reads: price / free
        return Twin(part, (ask.by,), ("free",)) if ask.least < 3 else Twin(dear)

    plugin = Scores("varies", ("free", "price"), boom, twin=twin)
    mine = scheduler(plugin, on=table((3, 1, 2), kind=ListTable, price=0.5))
    totals = [mine.schedule("s", ask).picked[0].total for ask in (Ask(), Ask(3), Ask(by=20.0), Ask(4), Ask(9), Ask())]

    assert totals == [0.3, 0.15, 0.15, 0.15, 0.5, 0.3]
    assert plugin.shown == []


UNUSUAL_TWINS = {
    "a filter that fails on rows that another refuses": lambda: [roomy(), roomy("picky", function=picky)],
    "a filter that says a number where another refuses": lambda: [roomy(), roomy("counts", function=counts_below)],
    "a score a little above one": lambda: [parts(function=little_above)],
    "a score below zero": lambda: [parts(function=below_zero)],
    "a filter that says a number": lambda: [roomy(function=a_number)],
    "a scorer that divides by nothing": lambda: [parts(function=by_nothing)],
    "a score above one": lambda: [parts(function=above_one)],
    "a score that is NaN": lambda: [parts(function=no_number)],
}


@pytest.mark.parametrize("plugins", UNUSUAL_TWINS.values(), ids=UNUSUAL_TWINS)
def test_what_is_unusual_in_twins_is_told_as_of_the_plugins(plugins):
    """Clamped and counted, skipped, or raised: the same with twins and without."""
    inlined, called = with_and_without(plugins, Ask(), skip_broken=True)

    assert repr(inlined) == repr(called)


def test_nan_on_a_refused_row_is_never_seen():
    plugins = [roomy(), parts(function=no_number_below)]

    assert calls(plugins, Ask()) == {"roomy": 0, "parts": 0}


BROKEN_TWINS = {
    "raises": lambda ask, shared: 1 / 0,
    "is none": lambda ask, shared: 7,
    "is a lambda": lambda ask, shared: Twin(lambda by, free: free / by, (ask.by,)),
    "gives two values": lambda ask, shared: Twin(two_values, (ask.by,)),
    "reads what the plugin does not": lambda ask, shared: Twin(part, (ask.by,), ("zone",)),
    "has too many constants": lambda ask, shared: Twin(part, (ask.by, 1)),
}


@pytest.mark.parametrize("twin", BROKEN_TWINS.values(), ids=BROKEN_TWINS)
def test_a_plugin_whose_twin_is_of_no_use_is_called(twin):
    plugin = Scores("parts", ("free",), lambda ask, rows, cycle: [free / ask.by for free in rows.free], twin=twin)

    assert calls([plugin, roomy()], Ask(), Ask(by=11.0)) == {"parts": 2, "roomy": 0}


def test_plugins_that_look_at_the_cycle_are_called_whatever_their_twins():
    plugin = parts(depends=Depends.CYCLE)

    assert calls([plugin], Ask()) == {"parts": 1}


def test_a_plugin_that_is_two_things_is_called():
    both = parts()
    both.mask = lambda ask, rows, cycle: [True] * rows.size
    mine = scheduler(on=table((3, 1, 2), kind=ListTable))
    mine.profiles["p"] = Profile("p", MaxScore(), (both,), (both, parts("other")))
    totals = [mine.schedule("s", ask).picked[0].total for ask in (Ask(), Ask())]

    assert totals == [0.6, 0.6]
    assert both.shown == [3, 3]
    assert len(mine.evaluator("p").program.codes) == 1


def test_observers_are_told_of_every_plugin():
    assert calls([roomy(), parts()], Ask(), observers=[Spy()]) == {"roomy": 1, "parts": 1}


def rank():
    """Is called, and looks at the rows that are left."""
    return Scores(
        "rank", ("free",), lambda ask, rows, cycle: [each / max(rows.free) for each in rows.free], Depends.TABLE
    )


def first_rows(number):
    return Keeps("first", (), lambda ask, rows, cycle: [place < number for place in range(rows.size)], Depends.TABLE)


def test_behind_a_table_filter_filters_are_called():
    assert calls([first_rows(1), roomy(), parts()], Ask()) == {"first": 1, "roomy": 1, "parts": 0}
    assert calls([roomy(), first_rows(1), parts()], Ask()) == {"roomy": 0, "first": 1, "parts": 0}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_table_filters_narrow_what_the_pass_made(place, number):
    plugins = [most("all", least=0), roomy(), parts(), Weighted(parts("later"), 2.0, level=1), rank()]
    plugins.insert(place, first_rows(number))
    sums = []
    for kind in (ListTable, Table):
        on = table((3, 1, 2), kind=kind)
        explained = scheduler(*plugins, on=on).schedule("s", Ask(), explained=True)
        ranked = explained.explanations["p"].ranked()
        picked = [(pick.key, pick.levels, [term.score for term in pick.terms]) for pick in explained.picked]
        sums.append((picked, [(each.key, each.levels) for each in ranked]))

    assert sums[0] == sums[1]


def test_too_many_choices_of_twins_end_in_calls(monkeypatch):
    monkeypatch.setattr(list_evaluator, "MOST_CHOICES", 2)
    functions = (quarter, half, whole)
    plugin = Scores("many", (), lambda ask, rows, cycle: [functions[ask]()] * rows.size)
    plugin.twin = lambda ask, shared: Twin(functions[ask])
    mine = scheduler(plugin, on=table((3, 1, 2), kind=ListTable))
    totals = [mine.schedule("s", ask).picked[0].total for ask in (0, 1, 2, 0, 1, 2)]

    assert totals == [0.25, 0.5, 1.0] * 2
    assert len(plugin.shown) == 2
    assert len(mine.evaluator("p").program.codes) == 3

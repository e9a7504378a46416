"""One conformance suite for both storages: the same profile, written for arrays and for lists, gives the same answers.

A plugin is written once for each storage, as an author would; every case runs on both and must give what stands
beside it. Lists are asked twice: every plugin called, and with the twins of those that have one.
"""

from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import PickerError, PluginError
from bayplan.framework.filters.sample import Sample
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.pickers.random import Random
from bayplan.framework.pickers.weighted_random import WeightedRandom
from bayplan.framework.plugins import Want
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from contracts.storage_plugins import (
    CYCLE,
    KINDS,
    Filter,
    Producer,
    Scorer,
    TwinTable,
    crowd,
    double_score,
    doubled,
    freest,
    rated,
    roomy,
    scheduler,
    unless_nobody,
)


def says(*numbers, name="says", **more):
    return Scorer(name, (), lambda a, rows, c: np.array(numbers, float), lambda a, rows, c: list(numbers), **more)


def clock(depends=CYCLE):
    return Filter(
        "clock",
        ("free",),
        lambda a, rows, c: rows.free > c.now,
        lambda a, rows, c: [free > c.now for free in rows.free],
        depends,
    )


def totals(mine, now=0.0):
    """Every row that is left, with its sums."""
    got = mine.evaluator("p").totals("ask", Cycle("s", "ask", now=now))
    return {row: got.total(row) for row in got.survivors()}


MEANINGS = {  # plugins, now, row: sums
    "no plugin": ([], 0, {0: (0.0,), 1: (0.0,), 2: (0.0,), 3: (0.0,)}),
    "a filter": ([roomy(3)], 0, {0: (0.0,), 3: (0.0,)}),
    "two filters": ([roomy(2), roomy(3, "more")], 0, {0: (0.0,), 3: (0.0,)}),
    "a scorer": ([freest()], 0, {0: (0.3,), 1: (0.1,), 2: (0.2,), 3: (0.3,)}),
    "weights": ([Weighted(freest(), -2), roomy(3)], 0, {0: (-0.6,), 3: (-0.6,)}),
    "no weight": ([Weighted(freest(), 0), roomy(3)], 0, {0: (0.0,), 3: (0.0,)}),
    "levels": ([Weighted(freest("a"), 1, 2), Weighted(freest("b"), 2, 1), roomy(3)], 0, {0: (0.6, 0.3), 3: (0.6, 0.3)}),
    "clamped": ([says(-1, 2, inf, -inf)], 0, {0: (0.0,), 1: (1.0,), 2: (1.0,), 3: (0.0,)}),
    "a scale of 100": ([says(50, 101, -3, 7, scale=100)], 0, {0: (0.5,), 1: (1.0,), 2: (0.0,), 3: (0.07,)}),
    "one by one": ([says(*[0.1] * 4, name=n) for n in "abc"], 0, dict.fromkeys(range(4), (0.1 + 0.1 + 0.1,))),
    "the order of addition": (
        [crowd(), freest(), says(0.7, 0.7, 0.7, 0.7)],
        0,
        {row: (0.7 + free / 10 + free / 3,) for row, free in enumerate((3, 1, 2, 3))},
    ),
    "others: the survivors": ([crowd(), roomy(2)], 0, {0: (1.0,), 2: (2 / 3,), 3: (1.0,)}),
    "if nobody passes, everybody": ([unless_nobody(9), freest(), roomy(2)], 0, {0: (0.3,), 2: (0.2,), 3: (0.3,)}),
    "if somebody passes, they": ([unless_nobody(3)], 0, {0: (0.0,), 3: (0.0,)}),
    "the clock": ([clock()], 2.5, {0: (0.0,), 3: (0.0,)}),
    "the clock behind a table filter": ([unless_nobody(9), clock()], 2.5, {0: (0.0,), 3: (0.0,)}),
    "a produced column": ([doubled(), double_score(), roomy(3)], 0, {0: (0.3,), 3: (0.3,)}),
    "a shared value": ([rated()], 0, {0: (0.75,), 1: (0.25,), 2: (0.5,), 3: (0.75,)}),
    "nobody is left": ([roomy(9), crowd(), freest()], 0, {}),
    "NaN on a refused row": ([says(0.5, nan, 0.5, 0.5)], 0, None),
}


@KINDS
@pytest.mark.parametrize(("plugins", "now", "wanted"), MEANINGS.values(), ids=MEANINGS)
def test_meaning(kind, plugins, now, wanted):
    if wanted is None:
        with pytest.raises(PluginError, match="plugin says: answered NaN"):
            totals(scheduler(kind, plugins), now)
        return
    got = totals(scheduler(kind, plugins), now)

    assert repr(got) == repr(wanted)  # so that 0.0 and -0.0 differ


BY_ZERO = "raised ZeroDivisionError: division by zero"


ERRORS = {  # the two bodies, the message on arrays, on lists
    "a filter raises": (
        Filter("bad", (), *[lambda *_: 1 / 0] * 2),
        *[BY_ZERO] * 2,
    ),
    "a scorer raises": (
        Scorer("bad", (), *[lambda *_: 1 / 0] * 2),
        *[BY_ZERO] * 2,
    ),
    "a filter answers nothing": (
        Filter("bad", (), *[lambda *_: None] * 2),
        "answered nothing where a mask of 4 booleans was asked for",
        "answered nothing where a list of 4 booleans was asked for",
    ),
    "a mask of the wrong length": (
        Filter("bad", (), lambda *_: np.ones(3, bool), lambda *_: [True] * 3),
        "answered an array of bool (3,) where a mask of 4 booleans was asked for",
        "answered a list of 3 (bool) where a list of 4 booleans was asked for",
    ),
    "a mask of numbers": (
        Filter("bad", (), lambda *_: np.ones(4), lambda *_: [1.0] * 4),
        "answered an array of float64 (4,) where a mask of 4 booleans was asked for",
        "answered a list of 4 (float) where a list of 4 booleans was asked for",
    ),
    "scores of the wrong length": (
        Scorer("bad", (), lambda *_: np.ones(5), lambda *_: [1.0] * 5),
        "answered an array of float64 (5,) where 4 numbers were asked for",
        "answered a list of 5 (float) where a list of 4 numbers was asked for",
    ),
    "NaN": (says(0.5, nan, 0.5, nan, name="bad"), "answered NaN for 2 of 4 rows", "answered NaN"),
    "an undeclared read": (
        Filter("bad", ("free",), *[lambda a, rows, c: rows.zone] * 2),
        *["reads column 'zone', which it did not declare"] * 2,
    ),
    "an undeclared look at the cycle": (
        Filter("bad", ("free",), *[lambda a, rows, c: c.now] * 2),
        *["looks at cycle.now, but its answers are kept from cycle to cycle"] * 2,
    ),
}


@KINDS
@pytest.mark.parametrize(("bad", "on_arrays", "on_lists"), ERRORS.values(), ids=ERRORS)
def test_a_broken_plugin_fails_the_cycle_or_is_skipped(kind, bad, on_arrays, on_lists):
    problem = on_arrays if kind is Table else on_lists
    with pytest.raises(PluginError) as caught:
        scheduler(kind, [bad, freest()]).schedule("s")
    assert (caught.value.plugin, caught.value.message) == ("bad", problem)

    outcome = scheduler(kind, [bad, freest()], skip_broken=True).schedule("s")
    assert (outcome.picked[0].row, outcome.picked[0].total) == (0, 0.3)
    assert outcome.results["p"].skipped == {"bad": problem}

    bad_and_needed = type(bad)(bad.name, bad.reads, *list(bad._bodies.values())[:2], required=True)
    with pytest.raises(PluginError, match="plugin bad: "):
        scheduler(kind, [bad_and_needed, freest()], skip_broken=True).schedule("s")


@KINDS
def test_a_broken_producer_takes_its_readers_with_it(kind):
    bad = Producer("bad", ("free",), *[lambda *_: {"double": "no"}] * 2, produces=("double",))
    outcome = scheduler(kind, [bad, double_score(), freest()], skip_broken=True).schedule("s")

    assert set(outcome.results["p"].skipped) == {"bad", "by-double"}
    assert {term.scorer: term.contribution for term in outcome.picked[0].terms} == {"freest": 0.3, "by-double": 0.0}


class Counts:
    attentive = True

    def __init__(self):
        self.counted = {}

    def before(self, kind, plugin, rows): ...

    def after(self, kind, plugin, rows): ...

    def skipped(self, plugin, problem): ...

    def decided(self, outcome): ...

    def clamped(self, plugin, count):
        self.counted[plugin] = self.counted.get(plugin, 0) + count


@KINDS
def test_clamped_values_are_counted(kind):
    counts = Counts()
    scheduler(kind, [says(-1, 2, 0.5, 7), says(0, 1, 0.5, -0.0, name="fine")], observers=[counts]).schedule("s")

    assert counts.counted == {"says": 3}


WANTS = {
    "one": (Want(), [0]),
    "two": (Want(2), [0, 3]),
    "all": (Want(9), [0, 3, 2, 1]),
    "too many at least": (Want(9, 5), []),
    "one group": (Want(2, 2, "zone"), [0, 1]),
    "no group is large enough": (Want(3, 3, "zone"), []),
}


@KINDS
@pytest.mark.parametrize(("want", "rows"), WANTS.values(), ids=WANTS)
def test_wants(kind, want, rows):
    assert [pick.row for pick in scheduler(kind, [freest()]).schedule("s", want=want).picked] == rows


PICKERS = [MaxScore(), MaxScore(ties="seeded"), Random(), WeightedRandom()]


@pytest.mark.parametrize("picker", PICKERS, ids=str)
@pytest.mark.parametrize("want", [Want(), Want(2), Want(2, 1, "zone")], ids=str)
@pytest.mark.parametrize("plugins", [[], [freest()], [Sample(2), freest()], [roomy(2), Sample(1)]], ids=len)
def test_chance_falls_the_same_way_on_both(picker, want, plugins):
    all_three = [scheduler(kind, plugins, picker=picker) for kind in (Table, ListTable, TwinTable)]

    for seed in range(25):
        first, *others = (mine.schedule("s", seed=seed, want=want, explained=True) for mine in all_three)
        for other in others:
            one, two = (each.explanations["p"].ranked() for each in (first, other))
            assert [each.row for each in one] == [each.row for each in two]
        first, *others = (mine.schedule("s", seed=seed, want=want) for mine in all_three)
        for other in others:
            one, two = ([(p.row, p.levels, p.terms) for p in each.picked] for each in (first, other))
            assert one == two


@KINDS
def test_a_picker_that_takes_a_refused_row_is_named(kind):
    class Wrong:
        name = "wrong"

        def pick(self, totals, want, cycle):
            return [1]

    with pytest.raises(PickerError, match="plugin wrong: picked a refused row: 1"):
        scheduler(kind, [roomy(2)], picker=Wrong()).schedule("s")

"""One conformance suite for both storages: the same profile, written for arrays and for lists, gives the same answers.

A plugin is written once for each storage, as an author would; every case runs on both and must give what stands
beside it. Lists are asked twice: every plugin called, and with the twins of those that have one.
"""

from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import PickerError, PluginError
from bayplan.framework.filters.sample import Sample
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.pickers.random import Random
from bayplan.framework.pickers.weighted_random import WeightedRandom
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Named, Profile, Weighted
from bayplan.framework.reasons import Reasons
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin


class TwinTable(ListTable):
    """Lists whose plugins bring their twins."""


KINDS = pytest.mark.parametrize("kind", [Table, ListTable, TwinTable], ids=["arrays", "lists", "twins"])
CYCLE, TABLE = Depends.CYCLE, Depends.TABLE


class Plugin:
    """What a case says of a plugin; `arrays` and `lists` are its two bodies, functions of (ask, rows, cycle)."""

    def __init__(self, name, reads, arrays, lists, depends=None, **more):
        self.name, self.reads, self._bodies = name, reads, {Table: arrays, ListTable: lists, TwinTable: lists}
        if depends is not None:
            self.depends = depends
        self.__dict__.update(more)

    def written_for(self, kind):
        body = self._bodies[kind]
        written = type(self)(self.name, self.reads, None, None)
        written.__dict__.update({key: value for key, value in self.__dict__.items() if key != "_bodies"})
        setattr(written, self.method, body)
        if kind is not TwinTable:
            written.__dict__.pop("twin", None)
        return written


class Filter(Plugin):
    method = "mask"


class Scorer(Plugin):
    method = "score"


class Producer(Plugin):
    method = "produce"


def at_least(least, free):
    return free >= least


def tenth(free):
    return free / 10


def at_rate(free, rate):
    return free * rate


def twentieth(double):
    return double / 20


def roomy(least, name="roomy", **more):
    return Filter(
        name,
        ("free",),
        lambda a, rows, c: rows.free >= least,
        lambda a, rows, c: [f >= least for f in rows.free],
        twin=lambda ask, shared: Twin(at_least, (least,)),
        **more,
    )


def freest(name="freest", **more):
    return Scorer(
        name,
        ("free",),
        lambda a, rows, c: rows.free / 10,
        lambda a, rows, c: [f / 10 for f in rows.free],
        twin=lambda ask, shared: Twin(tenth),
        **more,
    )


def says(*numbers, name="says", **more):
    return Scorer(name, (), lambda a, rows, c: np.array(numbers, float), lambda a, rows, c: list(numbers), **more)


def crowd(name="crowd"):
    return Scorer(
        name,
        ("free",),
        lambda a, rows, c: rows.free / rows.free.max(),
        lambda a, rows, c: [free / max(rows.free) for free in rows.free],
        TABLE,
    )


def unless_nobody(least):
    def arrays(ask, rows, cycle):
        wanted = rows.free >= least
        return wanted if wanted.any() else np.ones(rows.size, bool)

    def lists(ask, rows, cycle):
        wanted = [free >= least for free in rows.free]
        return wanted if any(wanted) else [True] * rows.size

    return Filter("unless-nobody", ("free",), arrays, lists, TABLE)


def doubled():
    return Producer(
        "doubled",
        ("free",),
        lambda a, rows, c: {"double": rows.free * 2},
        lambda a, rows, c: {"double": [free * 2 for free in rows.free]},
        produces=("double",),
    )


def double_score():
    return Scorer(
        "by-double",
        ("double",),
        lambda a, rows, c: rows.double / 20,
        lambda a, rows, c: [d / 20 for d in rows.double],
        twin=lambda ask, shared: Twin(twentieth),
    )


def clock(depends=CYCLE):
    return Filter(
        "clock",
        ("free",),
        lambda a, rows, c: rows.free > c.now,
        lambda a, rows, c: [free > c.now for free in rows.free],
        depends,
    )


def rated():
    return Scorer(
        "rated",
        ("free", "rate"),
        lambda a, rows, c: rows.free * rows.rate,
        lambda a, rows, c: [free * rows.rate for free in rows.free],
        twin=lambda ask, shared: Twin(at_rate),
    )


def scheduler(kind, plugins, free=(3, 1, 2, 3), picker=None, **more):
    rows = len(free)
    table = kind(
        static={"zone": [row // 2 for row in range(rows)]},
        state={"free": list(free)},
        shared={"rate": 0.25},
        keys=[f"row-{row}" for row in range(rows)],
    )
    filters, scorers, producers = [], [], []
    for plugin in plugins:
        if isinstance(plugin, Weighted):
            scorers.append(Weighted(plugin.scorer.written_for(kind), plugin.weight, plugin.level))
        elif isinstance(plugin, Plugin):
            {"mask": filters, "score": scorers, "produce": producers}[plugin.method].append(plugin.written_for(kind))
        else:
            filters.append(Named(plugin, plugin.name))
    profile = Profile("p", picker or MaxScore(), tuple(filters), tuple(scorers), tuple(producers))
    return Scheduler([profile], SingleProfile(), table=table, **more)


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


def speaking(kind):
    filter_ = roomy(3, explain=lambda ask, rows, cycle: Reasons("short", needed=3, free=rows.free, unit="cards"))
    return scheduler(kind, [filter_, unless_nobody(9), freest()])


@KINDS
def test_explanations(kind):
    explanation = speaking(kind).schedule("s", explained=True).explanations["p"]

    assert [(each.row, each.key, each.total) for each in explanation.ranked()] == [(0, "row-0", 0.3), (3, "row-3", 0.3)]
    assert {row: [each.message for each in why] for row, why in explanation.rejections().items()} == {
        1: ["short: needs 3 cards, 1 cards free", "an earlier filter refused it before this one could look"],
        2: ["short: needs 3 cards, 2 cards free", "an earlier filter refused it before this one could look"],
    }
    assert explanation.counts() == {"short": 2, "not-evaluated": 2}


@KINDS
def test_no_rows_is_an_answer(kind):
    outcome = scheduler(kind, [roomy(1), crowd(), doubled(), double_score()], free=()).schedule("s")

    assert (outcome.ok, outcome.results["p"].status) == (False, "nothing-fits")
    assert outcome.explanations["p"].rejections() == {}


@KINDS
def test_writes_and_epochs_are_seen(kind):
    mine = scheduler(kind, [rated()])
    assert mine.schedule("s", "ask").picked[0].row == 0
    mine.table.write(2, {"free": 4})
    assert mine.schedule("s", "ask").picked[0].row == 2
    mine.table.refresh(rate=0.1)
    assert mine.schedule("s", "ask").picked[0].total == 4 * 0.1
    fork = mine.table.fork()
    fork.write(1, {"free": 9})
    assert mine.schedule("s", "ask", table=fork).picked[0].row == 1
    assert mine.schedule("s", "ask").picked[0].row == 2


def heard(kind, plugin, name, reads=("free",), depends=None):
    """A plugin of this kind that answers from the ask, and writes down each ask that it was handed."""
    asks = []

    def body(ask, rows, cycle):
        asks.append(ask)
        free = np.array(rows.free)
        return {"mask": free >= ask.least, "score": free / ask.by}[plugin.method]

    return plugin(name, reads, body, body, depends), asks


@dataclass(frozen=True)
class Ask:
    least: int
    by: int


@KINDS
@pytest.mark.parametrize("depends", [None, CYCLE, TABLE])
def test_the_ask_reaches_every_plugin_in_deciding_and_explaining(kind, depends):
    keeps, kept = heard(kind, Filter, "keeps", depends=depends)
    scores, scored = heard(kind, Scorer, "scores", depends=depends)
    makes = Producer(
        "makes",
        ("free",),
        *[lambda ask, rows, c: {"made": np.array(rows.free) / ask.by}] * 2,
        depends,
        produces=("made",),
    )
    reads = Scorer("reads", ("made",), *[lambda ask, rows, c: np.array(rows.made) / ask.least] * 2)
    mine = scheduler(kind, [keeps, scores, makes, reads])

    for ask, wanted in (
        (Ask(2, 10), {0: 0.3 + 0.15, 2: 0.2 + 0.1, 3: 0.3 + 0.15}),
        (Ask(3, 20), {0: 0.15 + 0.05, 3: 0.15 + 0.05}),
    ):
        outcome = mine.schedule("s", ask, explained=True)
        assert {each.row: each.total for each in outcome.explanations["p"].ranked()} == pytest.approx(wanted)
        assert outcome.picked[0].total == pytest.approx(wanted[0])
        assert sum(term.contribution for term in outcome.picked[0].terms) == pytest.approx(wanted[0])
        assert {
            row: each.total for row, each in ((each.row, each) for each in mine.explain("p", ask).ranked())
        } == pytest.approx(wanted)
        mine.table.write(1, {"free": 1})
    assert {*kept, *scored} == {Ask(2, 10), Ask(3, 20)}

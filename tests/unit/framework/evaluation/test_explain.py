from math import nan

import numpy as np
import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.evaluation.stages import Tally
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, Makes, Scores, bound, cycle, freest, roomy, table

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def explained(*plugins, on=None, tally=None, scored=True, shared=(), now=0.0):
    held = table() if on is None else on
    return explain(bound(*plugins, shared=shared), held, "ask", cycle(now=now), tally=tally, scored=scored)


def codes(explanation):
    return {row: [(each.filter, each.code) for each in why] for row, why in explanation.rejections().items()}


def on_both(kind, call):
    """A formula for arrays that also serves lists: what it says is turned into a list."""

    def turned(ask, rows, cycle):
        if kind is Table:
            return call(ask, rows, cycle)
        lists = {name: getattr(rows, name) for name in rows.reads}
        columns = {name: np.array(value) if isinstance(value, list) else value for name, value in lists.items()}
        return call(ask, rows.replace(**columns), cycle)

    return turned


def keeps(kind, name, call, depends=None, reads=("free",), **more):
    return Keeps(name, reads, on_both(kind, call), depends, **more)


@STORAGES
def test_every_failing_filter_is_listed_for_every_row(kind):
    big = keeps(kind, "big", lambda ask, rows, cycle: rows.free >= 3)
    middling = keeps(kind, "middling", lambda ask, rows, cycle: rows.free == 2)
    explanation = explained(big, middling, on=table(kind=kind))

    assert codes(explanation) == {
        0: [("middling", "middling")],
        1: [("big", "big"), ("middling", "middling")],
        2: [("big", "big")],
    }
    assert list(explanation.survivors) == []
    assert explanation.counts() == {"big": 2, "middling": 2}
    assert explanation.rejections(2).keys() == {2}


@STORAGES
def test_a_table_filter_says_not_evaluated_of_rows_that_did_not_reach_it(kind):
    crowd = keeps(kind, "crowd", lambda ask, rows, cycle: rows.free == rows.free.max(), Depends.TABLE)
    small = keeps(kind, "small", lambda ask, rows, cycle: rows.free < 3)
    last = keeps(kind, "last", lambda ask, rows, cycle: rows.free > 1)
    explanation = explained(small, crowd, last, on=table(kind=kind))

    assert codes(explanation) == {
        0: [("small", "small"), ("crowd", "not-evaluated")],
        1: [("crowd", "crowd"), ("last", "last")],
    }
    assert list(explanation.survivors) == [2]
    assert crowd.shown == [2]
    assert explanation.rejections(0)[0][1].message == "an earlier filter refused it before this one could look"
    assert [type(row) for row in explanation.rejections()] == [int, int]


@STORAGES
def test_a_table_filter_that_nobody_reached_is_not_asked(kind):
    crowd = keeps(kind, "crowd", lambda ask, rows, cycle: rows.free == rows.free.max(), Depends.TABLE)
    none = keeps(kind, "none", lambda ask, rows, cycle: rows.free > 9)

    assert explained(none, crowd, on=table(kind=kind)).counts() == {"none": 3, "not-evaluated": 3}
    assert crowd.shown == []


class Speaking(Keeps):
    """Refuses what has less free than the ask, and says by how much."""

    def __init__(self, speak=None, **more):
        super().__init__("speaking", ("free",), lambda ask, rows, cycle: [free >= 2 for free in rows.free], **more)
        self._speak = speak or (lambda ask, rows, cycle: Reasons("short", curable=True, needed=2, free=rows.free))
        self.explained = []

    def explain(self, ask, rows, cycle):
        self.explained.append(rows.size)
        return self._speak(ask, rows, cycle)


class SpeakingArrays(Speaking):
    def mask(self, ask, rows, cycle):
        return np.array(super().mask(ask, rows, cycle))


SPEAKING = {Table: SpeakingArrays, ListTable: Speaking}


@STORAGES
def test_reasons_are_asked_for_refused_rows_only(kind):
    speaking = SPEAKING[kind]()
    explanation = explained(speaking, on=table((3, 1, 0), kind=kind))

    why = explanation.rejections()
    assert {row: (each.code, each.curable, each.needed, each.free, each.short) for row, (each,) in why.items()} == {
        1: ("short", True, 2, 1, 1),
        2: ("short", True, 2, 0, 2),
    }
    assert speaking.explained == [2]
    explained(speaking, on=table((3, 3, 3), kind=kind))
    assert speaking.explained == [2]


def boom(ask, rows, cycle):
    raise ValueError("speechless")


MUTE = {
    "it raises": (boom, "raised ValueError in explain: speechless"),
    "no reasons": (lambda ask, rows, cycle: "full", "explained with a str where Reasons are expected"),
    "too few numbers": (lambda ask, rows, cycle: Reasons("x", free=[1, 2]), "explained 1 rows with 2 values of 'free'"),
    "an undeclared read": (lambda ask, rows, cycle: rows.zone, "reads column 'zone', which it did not declare"),
    "the cycle": (
        lambda ask, rows, cycle: cycle.now,
        "looks at cycle.now, but its answers are kept from cycle to cycle",
    ),
}


@STORAGES
@pytest.mark.parametrize(("speak", "problem"), MUTE.values(), ids=MUTE)
def test_a_broken_explanation_is_named_or_forgiven_without_losing_the_row(kind, speak, problem):
    speaking = SPEAKING[kind](speak)
    with pytest.raises(PluginError) as caught:
        explained(speaking, on=table(kind=kind))
    assert (caught.value.plugin, caught.value.message) == ("speaking", problem)

    tally = Tally(lenient=True)
    explanation = explained(speaking, on=table(kind=kind), tally=tally)

    assert codes(explanation) == {1: [("speaking", "speaking")]}
    assert list(explanation.survivors) == [0, 2]
    assert list(tally.skipped.values()) == [problem]


@STORAGES
def test_broken_plugins_are_left_out_where_that_is_forgiven(kind):
    plugins = [
        Keeps("bad-filter", ("free",), boom),
        Scores("bad-scorer", ("free",), boom),
        Scores("nan", ("free",), on_both(kind, lambda ask, rows, cycle: np.full(rows.size, nan))),
        Makes("bad-producer", ("free",), boom, produces=("made",)),
        Keeps("reader", ("made",), lambda ask, rows, cycle: rows.made),
        Keeps("late-reader", ("made",), lambda ask, rows, cycle: rows.made, Depends.TABLE),
    ]
    tally = Tally(lenient=True)
    explanation = explained(*plugins, on=table(kind=kind), tally=tally)

    assert [each.row for each in explanation.ranked()] == [0, 1, 2]
    assert {use.name for use in tally.skipped} == {plugin.name for plugin in plugins}
    for broken in ([plugins[0]], [plugins[1]], [plugins[2]], plugins[3:5]):
        with pytest.raises(PluginError, match=f"plugin {broken[0].name}: "):
            explained(*broken, on=table(kind=kind))


@STORAGES
def test_ranked_shows_each_scorers_part(kind):
    first = Weighted(
        Scores("first", ("free",), on_both(kind, lambda ask, rows, cycle: rows.free * 40), scale=100), 2, 1
    )
    second = Weighted(Scores("second", ("zone",), on_both(kind, lambda ask, rows, cycle: rows.zone - 0.5)), -3)
    explanation = explained(first, second, on=table(kind=kind))

    best, middle, last = explanation.ranked()
    assert [(each.row, each.key, each.levels, each.total) for each in (best, middle, last)] == [
        (0, "a", (0.0, 2.0), 2.0),
        (1, "b", (0.0, 0.8), 0.8),
        (2, "c", (-1.5, 1.6), 1.6),
    ]
    assert [
        tuple(getattr(term, name) for name in ("scorer", "weight", "level", "score", "contribution"))
        for term in last.terms
    ] == [
        ("second", -3.0, 0, 0.5, -1.5),
        ("first", 2.0, 1, 0.8, 1.6),
    ]
    assert [each.row for each in explanation.ranked(2)] == [0, 1]
    assert explanation.ranked(0) == []


def test_equals_are_ranked_by_row():
    assert [each.row for each in explained(on=table((5, 5, 5))).ranked()] == [0, 1, 2]


@STORAGES
def test_without_scores_nobody_is_scored(kind):
    score = Scores("s", ("free",), boom)
    explanation = explained(
        score, keeps(kind, "f", lambda ask, rows, cycle: rows.free > 1), on=table(kind=kind), scored=False
    )

    assert [(each.row, each.terms, each.total) for each in explanation.ranked()] == [(0, (), 0.0), (2, (), 0.0)]


@STORAGES
def test_nobody_is_scored_where_nobody_is_left(kind):
    score = Scores("s", ("free",), boom)

    assert (
        explained(keeps(kind, "f", lambda ask, rows, cycle: rows.free > 9), score, on=table(kind=kind)).ranked() == []
    )
    assert explained(score, on=table((), (), kind)).ranked() == []


@STORAGES
def test_the_cycle_and_shared_values_are_shown_to_whom_they_belong(kind):
    clock = keeps(kind, "clock", lambda ask, rows, cycle: rows.free > cycle.now, Depends.CYCLE)
    rated = keeps(kind, "rated", lambda ask, rows, cycle: rows.free < rows.rate, reads=("free", "rate"))
    crowd = keeps(kind, "crowd", lambda ask, rows, cycle: rows.free < rows.rate, Depends.TABLE, reads=("free", "rate"))
    explanation = explained(clock, rated, crowd, on=table(kind=kind, rate=3), shared=("rate",), now=1.5)

    assert codes(explanation) == {
        0: [("rated", "rated"), ("crowd", "not-evaluated")],
        1: [("clock", "clock"), ("crowd", "not-evaluated")],
    }


def test_a_fork_is_explained_as_it_would_be():
    held = table()
    fork = held.fork()
    fork.write(0, {"free": 0})

    assert list(explained(roomy(), freest(), on=fork).survivors) == [2]
    assert list(explained(roomy(), freest(), on=held).survivors) == [0, 2]


def telling(kind, explain, **more):
    """A filter that refuses rows with fewer than three free, and explains them so."""
    few = keeps(kind, "few", lambda ask, rows, cycle: rows.free >= 3)
    few.explain = explain
    for name, value in more.items():
        setattr(few, name, value)
    return few


@STORAGES
def test_a_filter_may_say_several_things_of_a_row(kind):
    def explain(ask, rows, cycle):
        return [Reasons("all"), Reasons("second", needed=[7], places=np.array([1]))]

    explanation = explained(telling(kind, explain), on=table(kind=kind))

    assert [[each.code for each in why] for why in explanation.rejections().values()] == [["all"], ["all", "second"]]
    (_, row) = explanation.rejections()
    assert [each.needed for each in explanation.rejections(row)[row]] == [None, 7]


WRONGLY = {
    "a row without a word": ([Reasons("a", places=np.array([0]))], "explained 1 of 2 refused rows"),
    "a row that is not there": ([Reasons("a", places=np.array([0, 1, 9]))], "not among the 2 refused"),
    "too many values": (
        [Reasons("a", needed=[1, 2]), Reasons("b", needed=[1, 2], places=np.array([0]))],
        "1 rows with 2",
    ),
    "no reasons": ([Reasons("a"), "b"], "explained with a str"),
}


@pytest.mark.parametrize(("said", "problem"), WRONGLY.values(), ids=WRONGLY)
def test_every_refused_row_is_spoken_of(said, problem):
    with pytest.raises(PluginError, match=problem):
        explained(telling(Table, lambda ask, rows, cycle: said))


@STORAGES
def test_columns_that_only_explanations_read(kind):
    few = telling(kind, lambda ask, rows, cycle: Reasons("few", label=list(rows.zone)), explain_reads=("zone",))
    held = table(kind=kind)
    explanation = explained(few, on=held)

    assert [why[0].details["label"] for why in explanation.rejections().values()] == [
        held.columns["zone"][row] for row in explanation.rejections()
    ]


def noting(kind, note=None, **more):
    """A scorer that says of each row how much is free, beside a score that is half of it."""
    half = Scores("half", ("free",), on_both(kind, lambda ask, rows, cycle: rows.free / 2), **more)
    half.note = note or (lambda ask, rows, cycle: [f"{ask}: {free} free" for free in rows.free])
    return half


def notes(explanation):
    return {each.row: [term.note for term in each.terms] for each in explanation.ranked()}


@STORAGES
def test_scorers_may_note_something_beside_a_score(kind):
    silent = Scores("silent", ("free",), on_both(kind, lambda ask, rows, cycle: rows.free / 4))
    at_least_two = keeps(kind, "two", lambda ask, rows, cycle: rows.free >= 2)
    explanation = explained(silent, noting(kind), at_least_two, on=table(kind=kind))

    assert notes(explanation) == {0: ["", "ask: 3 free"], 2: ["", "ask: 2 free"]}


@STORAGES
def test_notes_may_read_more_columns_than_scores(kind):
    def note(ask, rows, cycle):
        return (f"zone {zone} at {rows.rate}" for zone in rows.zone)

    noted = noting(kind, note, explain_reads=("zone", "rate"))

    assert notes(explained(noted, on=table(kind=kind, rate=7), shared=("rate",))) == {
        0: ["zone 0 at 7"], 2: ["zone 1 at 7"], 1: ["zone 0 at 7"],
    }  # fmt: skip


@STORAGES
def test_notes_see_the_cycle_if_the_scorer_does(kind):
    def note(ask, rows, cycle):
        return [f"at {cycle.now}"] * rows.size

    assert notes(explained(noting(kind, note, depends=Depends.CYCLE), on=table(kind=kind), now=4.0)) == {
        0: ["at 4.0"], 2: ["at 4.0"], 1: ["at 4.0"],
    }  # fmt: skip
    with pytest.raises(PluginError, match=r"looks at cycle\.now"):
        explained(noting(kind, note), on=table(kind=kind))


@STORAGES
def test_nothing_is_noted_where_no_row_is_left(kind):
    none = keeps(kind, "none", lambda ask, rows, cycle: rows.free > 9)

    assert explained(none, noting(kind, boom), on=table(kind=kind)).ranked() == []


BAD_NOTES = {
    "it raises": (boom, "raised ValueError in note: speechless"),
    "too few": (lambda ask, rows, cycle: ["x"], "noted 1 values where 3 texts are expected"),
    "too many": (lambda ask, rows, cycle: ["x"] * 4, "noted 4 values where 3 texts are expected"),
    "one is no text": (lambda ask, rows, cycle: ["x", None, "y"], "noted 3 values where 3 texts are expected"),
    "no list": (lambda ask, rows, cycle: None, "raised TypeError in note: 'NoneType' object is not iterable"),
}


@STORAGES
@pytest.mark.parametrize(("note", "problem"), BAD_NOTES.values(), ids=BAD_NOTES)
def test_a_broken_note_is_named_or_left_out(kind, note, problem):
    with pytest.raises(PluginError) as caught:
        explained(noting(kind, note), on=table(kind=kind))
    assert (caught.value.plugin, caught.value.message) == ("half", problem)

    tally = Tally(lenient=True)

    assert notes(explained(noting(kind, note), on=table(kind=kind), tally=tally)) == {0: [""], 2: [""], 1: [""]}
    assert list(tally.skipped.values()) == [problem]

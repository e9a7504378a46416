"""Plain functions of one candidate, lifted to plugins over either storage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from bayplan.framework.adapter import LiftedFilter, LiftedScorer, filter_of, scorer_of
from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.profile import Profile
from bayplan.framework.reasons import Rejection
from bayplan.framework.registry import Registry
from bayplan.framework.rows import view, view_type
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table


@dataclass(frozen=True)
class Ask:
    most: int = 3


COLUMNS = {"waiting": [5, 2, 0], "cards": [[1, 2], [3, 4], [5, 6]], "zone": ["a", "b", "b"]}
STORAGES = {"arrays": Table, "lists": ListTable}


@pytest.fixture(params=STORAGES.values(), ids=STORAGES)
def table(request):
    return request.param(state=COLUMNS, shared={"price": 2.0}, keys=["x", "y", "z"])


def short_queue():
    @filter_of(reads=("waiting",), code="queue-full", curable=True, unit="requests",
               numbers=lambda ask, row: {"needed": row.waiting, "free": ask.most})  # fmt: skip
    def short_queue(ask, row):
        """Refuses a long queue."""
        return row.waiting <= ask.most

    return short_queue


def cheap():
    @scorer_of(reads=("cards",), shared=("price",), scale=100)
    def _cheap_(ask, row):
        return sum(row.cards) * row.price

    return _cheap_


def decide(table, *plugins, ask=None, **more):
    filters = tuple(each for each in plugins if isinstance(each, LiftedFilter))
    scorers = tuple(each for each in plugins if isinstance(each, LiftedScorer))
    scheduler = Scheduler([Profile("p", MaxScore(), filters, scorers)], SingleProfile(), table=table)
    return scheduler.schedule("subject", ask or Ask(), **more)


def test_filter_and_scorer_decide_in_both_storages(table):
    outcome = decide(table, short_queue(), cheap(), explained=True)

    assert [pick.key for pick in outcome.picked] == ["z"]
    assert outcome.picked[0].total == 0.22
    (rejection,) = outcome.results["p"].explanation.rejections()[0]
    assert rejection.as_dict() == {
        "code": "queue-full", "filter": "short-queue", "curable": True, "needed": 5, "free": 3, "short": 2,
        "unit": "requests", "message": "queue full: needs 5 requests, 3 requests free", "not_known": None,
    }  # fmt: skip


def test_what_a_decorated_function_becomes():
    short, scorer = short_queue(), cheap()

    assert isinstance(short, LiftedFilter)
    assert (short.name, short.reads, short.code) == ("short-queue", ("waiting",), "queue-full")
    assert (scorer.name, scorer.reads, scorer.scale) == ("cheap", ("cards", "price"), 100)
    assert Registry([short]).find("short-queue").summary == "Refuses a long queue."


def test_what_is_not_said_of_a_filter():
    plugin = filter_of(lambda ask, row: True, "mine", reads=["zone"])
    rejection = plugin.explain(Ask(), Table(state=COLUMNS).rows(["zone"]), None).at(0, "mine")

    assert (plugin.reads, plugin.required, plugin.cured_by, plugin.depends) == (("zone",), False, None, Depends.STATIC)
    assert rejection == Rejection("mine", "mine", details={})
    assert filter_of(lambda ask, row: True, "mine", reads=["zone"], required=True).required is True


def test_a_text_of_ones_own(table):
    plugin = filter_of(lambda ask, row: row.waiting < 1, "idle", reads=("waiting",), text="{waiting} are waiting",
                       numbers=lambda ask, row: {"waiting": row.waiting})  # fmt: skip
    told = decide(table, plugin, explained=True).results["p"].explanation.rejections()

    assert [rejection.message for (rejection,) in told.values()] == ["5 are waiting", "2 are waiting"]


def test_numbers_that_only_some_rows_have(table):
    plugin = filter_of(lambda ask, row: False, "never", reads=("waiting",),
                       numbers=lambda ask, row: {"free": row.waiting} if row.waiting else {"zone": "a"})  # fmt: skip
    told = decide(table, plugin, explained=True).results["p"].explanation.rejections()

    assert [(each.free, each.details) for (each,) in told.values()] == [
        (5, {"zone": None}), (2, {"zone": None}), (None, {"zone": "a"}),
    ]  # fmt: skip


def test_without_more_words_the_code_is_the_name(table):
    plugin = filter_of(lambda ask, row: row.zone == "a", "zone-a", reads=("zone",))
    outcome = decide(table, plugin, explained=True)

    assert [pick.key for pick in outcome.picked] == ["x"]
    assert outcome.results["p"].explanation.rejections()[1][0].code == "zone-a"
    assert not plugin.required


def test_a_row_is_plain_python(table):
    seen = []

    def look(ask, row):
        seen.append((row.waiting, row.cards, row.zone))
        return True

    decide(table, filter_of(look, reads=("waiting", "cards", "zone")))

    assert seen[:3] == [(5, [1, 2], "a"), (2, [3, 4], "b"), (0, [5, 6], "b")]
    assert type(seen[0][0]) is int


def test_the_cycle_is_shown_to_plugins_that_declare_it(table):
    def clock(ask, row, cycle):
        return (cycle.now + ask.most + row.waiting) / 100

    plugin = scorer_of(clock, reads=("waiting",), depends=Depends.CYCLE)

    assert decide(table, plugin, now=5.0).picked[0].total == 0.13


def test_a_filter_and_its_numbers_see_the_cycle(table):
    plugin = filter_of(lambda ask, row, cycle: row.waiting < cycle.now, "young", reads=("waiting",),
                       depends=Depends.CYCLE,
                       numbers=lambda ask, row, cycle: {"needed": row.waiting, "free": cycle.now})  # fmt: skip
    told = decide(table, plugin, now=1.0, explained=True).results["p"].explanation.rejections()

    assert [(each.needed, each.free) for (each,) in told.values()] == [(5, 1.0), (2, 1.0)]


def test_other_candidates_are_shown_to_plugins_that_declare_it(table):
    def least(ask, row, cycle, rows):
        return row.waiting + cycle.now + ask.most == min(each.waiting for each in rows) + 4.0

    plugin = filter_of(least, reads=("waiting",), depends=Depends.TABLE)

    assert [pick.key for pick in decide(table, short_queue(), plugin, now=1.0).picked] == ["z"]


ANSWERS = {Table: (np.ndarray, np.bool_, np.float64), ListTable: (list, bool, float)}


def test_answers_are_stored_as_the_rows_are(table):
    whole, yes, number = ANSWERS[type(table)]
    rows = view(view_type("mine", ("waiting",)), table.columns, table.size)
    mask = filter_of(lambda ask, row: np.bool_(row.waiting > 1), "many", reads=("waiting",)).mask(Ask(), rows, None)
    scores = scorer_of(lambda ask, row: row.waiting, "longest", reads=("waiting",)).score(Ask(), rows, None)

    assert (type(mask), {type(each) for each in mask}, list(mask)) == (whole, {yes}, [True, True, False])
    assert (type(scores), {type(each) for each in scores}, list(scores)) == (whole, {number}, [5.0, 2.0, 0.0])


def test_answers_about_no_rows_have_a_type():
    rows = Table(state={"waiting": np.zeros(0, np.int64)}).rows(["waiting"])

    mask = filter_of(lambda ask, row: True, "all", reads=("waiting",)).mask(Ask(), rows, None)
    scores = scorer_of(lambda ask, row: 1, "one", reads=("waiting",)).score(Ask(), rows, None)

    assert (mask.dtype, mask.shape, scores.dtype, scores.shape) == (np.bool_, (0,), np.float64, (0,))


def test_a_candidate_has_its_columns_and_nothing_else():
    plugin = filter_of(lambda ask, row: True, "mine", reads=("waiting",), shared=("price",))
    first = plugin.candidates(Table(state=COLUMNS, shared={"price": 2.0}).rows(["waiting", "price"]))[0]

    assert (type(first).__name__, first.waiting, first.price) == ("Candidate", 5, 2.0)
    with pytest.raises(AttributeError):
        first.other = 1
    with pytest.raises(AttributeError, match=r"^__array__$"):
        first.__array__  # noqa: B018 (NumPy asks so whether it is an array)
    with pytest.raises(PluginError) as caught:
        first.zone  # noqa: B018
    assert str(caught.value) == (
        "plugin mine: reads column 'zone', which it did not declare; "
        "add 'zone' to its `reads`, now ('waiting', 'price')"
    )


def test_columns_of_different_lengths_are_an_error():
    rows = view(view_type("mine", ("waiting", "zone")), {"waiting": [1, 2], "zone": ["a"]}, 2)

    with pytest.raises(ValueError, match="argument 2 is shorter"):
        filter_of(lambda ask, row: True, "mine", reads=("waiting", "zone")).mask(Ask(), rows, None)


def test_an_empty_table(table):
    empty = type(table)(state={name: column[:0] for name, column in COLUMNS.items()}, shared={"price": 2.0}, keys=[])

    assert decide(empty, short_queue(), cheap()).picked == ()


WRONG = {
    "no bool":    (filter_of, lambda ask, row: None, "answered None for a row where True or False was asked for"),
    "number":     (filter_of, lambda ask, row: 1, "answered 1 for a row where True or False was asked for"),
    "no number":  (scorer_of, lambda ask, row: "1", "answered '1' for a row where a number was asked for"),
    "bool":       (scorer_of, lambda ask, row: True, "answered True for a row where a number was asked for"),
    "undeclared": (scorer_of, lambda ask, row: row.waiting, "reads column 'waiting', which it did not declare; add"),
    "raises":     (scorer_of, lambda ask, row: 1 / 0, "raised ZeroDivisionError"),
    "no cycle":   (scorer_of, lambda ask, row, cycle: 1.0, "raised TypeError"),
}  # fmt: skip


@pytest.mark.parametrize(("lift", "function", "message"), WRONG.values(), ids=WRONG)
def test_wrong_answers_name_the_plugin(lift, function, message, table):
    with pytest.raises(PluginError) as caught:
        decide(table, lift(function, "bad", reads=("zone",)))

    assert str(caught.value).startswith(f"plugin bad: {message}")


@pytest.mark.parametrize(("lift", "method"), [(filter_of, "mask"), (scorer_of, "score")])
def test_wrong_answers_name_the_plugin_outside_a_scheduler_too(lift, method):
    plugin, rows = lift(lambda ask, row: None, "bad", reads=("zone",)), Table(state=COLUMNS).rows(["zone"])

    with pytest.raises(PluginError, match=r"^plugin bad: answered None for a row"):
        getattr(plugin, method)(Ask(), rows, None)


def test_numpy_answers_are_welcome(table):
    plugins = (
        filter_of(lambda ask, row: np.bool_(row.waiting < 3), "f", reads=("waiting",)),
        scorer_of(lambda ask, row: np.float32(0.5), "s", reads=("waiting",)),
    )

    assert decide(table, *plugins).picked[0].total == 0.5


REFUSED = {
    "no column": ({"reads": ()}, "reads no column of its rows, and so could not tell them apart; name at least one"),
    "one text":  ({"reads": "zone"}, "`reads` is one text: 'zone'; write ('zone',)"),
    "shared":    ({"reads": ("zone",), "shared": "price"}, "`shared` is one text: 'price'; write ('price',)"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_lifted(said, message):
    with pytest.raises(InputError) as caught:
        filter_of(lambda ask, row: True, "bad", **said)

    assert str(caught.value).startswith(f"plugin bad: {message}")


def test_a_lifted_plugin_may_skip(table):
    def only_for_many(ask, table, cycle):
        return SKIP if ask.most < 10 else None

    never = filter_of(lambda ask, row: False, "never", reads=("waiting",), prepare=only_for_many)
    half = scorer_of(lambda ask, row: 0.5, "half", reads=("waiting",), prepare=only_for_many)

    outcome = decide(table, never, half)

    assert (outcome.ok, outcome.primary.inactive) == (True, ("never", "half"))
    assert not decide(table, never, half, ask=Ask(10)).ok
    assert not hasattr(short_queue(), "prepare")

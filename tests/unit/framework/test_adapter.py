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
from bayplan.framework.registry import Registry
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


@filter_of(reads=("waiting",), code="queue-full", curable=True, unit="requests",
           numbers=lambda ask, row: {"needed": row.waiting, "free": ask.most})  # fmt: skip
def short_queue(ask, row):
    """Refuses a long queue."""
    return row.waiting <= ask.most


@scorer_of(reads=("cards",), shared=("price",), scale=100)
def cheap(ask, row):
    return sum(row.cards) * row.price


def decide(table, *plugins, ask=None, **more):
    filters = tuple(each for each in plugins if isinstance(each, LiftedFilter))
    scorers = tuple(each for each in plugins if isinstance(each, LiftedScorer))
    scheduler = Scheduler([Profile("p", MaxScore(), filters, scorers)], SingleProfile(), table=table)
    return scheduler.schedule("subject", ask or Ask(), **more)


def test_filter_and_scorer_decide_in_both_storages(table):
    outcome = decide(table, short_queue, cheap, explained=True)

    assert [pick.key for pick in outcome.picked] == ["z"]
    assert outcome.picked[0].total == 0.22
    (rejection,) = outcome.results["p"].explanation.rejections()[0]
    assert rejection.as_dict() == {
        "code": "queue-full", "filter": "short-queue", "curable": True, "needed": 5, "free": 3, "short": 2,
        "unit": "requests", "message": "queue full: needs 5 requests, 3 requests free", "not_known": None,
    }  # fmt: skip


def test_what_a_decorated_function_becomes():
    assert isinstance(short_queue, LiftedFilter)
    assert (short_queue.name, short_queue.reads, short_queue.code) == ("short-queue", ("waiting",), "queue-full")
    assert (cheap.name, cheap.reads, cheap.scale) == ("cheap", ("cards", "price"), 100)
    assert Registry([short_queue]).find("short-queue").summary == "Refuses a long queue."


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


def test_the_cycle_is_shown_to_who_declares_it(table):
    plugin = scorer_of(lambda ask, row, cycle: cycle.now / 10, "clock", reads=("zone",), depends=Depends.CYCLE)

    assert decide(table, plugin, now=5.0).picked[0].total == 0.5


def test_other_candidates_are_shown_to_who_declares_it(table):
    def least(ask, row, cycle, rows):
        return row.waiting == min(each.waiting for each in rows)

    plugin = filter_of(least, reads=("waiting",), depends=Depends.TABLE)

    assert [pick.key for pick in decide(table, short_queue, plugin).picked] == ["z"]


def test_an_empty_table(table):
    empty = type(table)(state={name: column[:0] for name, column in COLUMNS.items()}, shared={"price": 2.0}, keys=[])

    assert decide(empty, short_queue, cheap).picked == ()


def zoned(lift, function):
    return lift(function, "bad", reads=("zone",))


WRONG = {
    "no bool":    (zoned(filter_of, lambda ask, row: None), "answered None for a row where True or False"),
    "number":     (zoned(filter_of, lambda ask, row: 1), "answered 1 for a row where True or False"),
    "no number":  (zoned(scorer_of, lambda ask, row: "1"), "answered '1' for a row where a number"),
    "bool":       (zoned(scorer_of, lambda ask, row: True), "answered True for a row where a number"),
    "undeclared": (zoned(scorer_of, lambda ask, row: row.waiting), "reads column 'waiting', which it did not declare"),
    "raises":     (zoned(scorer_of, lambda ask, row: 1 / 0), "raised ZeroDivisionError"),
    "no cycle":   (zoned(scorer_of, lambda ask, row, cycle: 1.0), "raised TypeError"),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "message"), WRONG.values(), ids=WRONG)
def test_wrong_answers_name_the_plugin(plugin, message, table):
    with pytest.raises(PluginError) as caught:
        decide(table, plugin)

    assert str(caught.value).startswith(f"plugin bad: {message}")


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
    assert not hasattr(short_queue, "prepare")

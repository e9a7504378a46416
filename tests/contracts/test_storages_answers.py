"""Both storages: explanations, changes that are seen, and the ask that plugins are handed."""

from dataclasses import dataclass

import numpy as np
import pytest

from bayplan.framework.reasons import Reasons
from contracts.storage_plugins import (
    CYCLE,
    KINDS,
    TABLE,
    Filter,
    Producer,
    Scorer,
    crowd,
    double_score,
    doubled,
    freest,
    rated,
    roomy,
    scheduler,
    unless_nobody,
)


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

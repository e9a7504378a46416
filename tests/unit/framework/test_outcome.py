import numpy as np
import pytest

from bayplan.framework.list_table import ListTable
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Handles, Keeps, Makes, Scores, freest, roomy, run, scheduler, table


def test_a_record_says_what_was_decided_and_why():
    mine = scheduler(
        Weighted(freest(), 2), Weighted(Scores("even", (), lambda a, rows, c: np.full(rows.size, 0.25)), level=1)
    )

    assert mine.schedule("me", ("ask", 1), seed=7, now=1.5).record() == {
        "subject": "me",
        "seed": 7,
        "now": 1.5,
        "primary": "p",
        "runs": [
            {
                "run": "p",
                "profile": "p",
                "ask": "('ask', 1)",
                "version": mine.table.version,
                "status": "picked",
                "picked": [
                    {
                        "row": 0,
                        "key": "a",
                        "total": 0.25,
                        "levels": [0.6, 0.25],
                        "terms": [
                            {"plugin": "even", "weight": 1.0, "score": 0.25, "contribution": 0.25},
                            {"plugin": "freest", "weight": 2.0, "score": 0.3, "contribution": 0.6},
                        ],
                    }
                ],
                "skipped": {},
                "inactive": [],
            }
        ],
    }


def test_nothing_fits_is_an_answer():
    outcome = scheduler(roomy(least=9)).schedule("me")

    assert (outcome.ok, outcome.picked, outcome.primary.status, outcome.primary.ok) == (
        False,
        (),
        "nothing-fits",
        False,
    )
    assert outcome.explanations["p"].counts() == {"roomy": 3}
    assert outcome.record()["runs"][0]["picked"] == []


def test_too_few_is_another():
    outcome = scheduler(roomy()).schedule("me", want=Want(4, 3))

    assert (outcome.ok, outcome.primary.status) == (False, "too-few")
    assert outcome.explanations["p"].counts() == {"roomy": 1}


def test_a_handler_may_decide_for_nothing():
    mine = scheduler(freest(), handler=Handles([run()], decide=lambda cycle, results: Decision(None, "later")))
    outcome = mine.schedule("me")

    assert (outcome.ok, outcome.primary, outcome.picked, outcome.decision.value) == (False, None, (), "later")
    assert outcome.record()["primary"] is None
    assert outcome.results["p"].ok
    assert outcome.explanations == {}


COLUMNS = {
    "numbers": (np.array([1, 5, 3]), lambda rows: rows.it / 10),
    "small numbers": (np.array([1, 5, 3], np.int8), lambda rows: rows.it / np.int8(10)),
    "single floats": (np.array([0.1, 0.5, 0.3], np.float32), lambda rows: rows.it),
    "booleans": (np.array([False, True, False]), lambda rows: rows.it.astype(float)),
    "words": (np.array(["a", "bbb", "cc"]), lambda rows: np.array([len(each) for each in rows.it]) / 10),
    "tuples": ("tuples", lambda rows: np.array([len(each) for each in rows.it]) / 10),
    "cards": (np.array([[1, 0], [2, 3], [0, 1]]), lambda rows: rows.it.sum(axis=1) / 10),
}


@pytest.mark.parametrize(("column", "formula"), COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("forked", [False, True])
@pytest.mark.parametrize("kind", ["static", "state"])
def test_contributions_read_later_are_those_of_the_decision(column, formula, forked, kind):
    if isinstance(column, str):
        column = np.empty(3, object)
        column[:] = [(1,), (1, 2, 3), ()]
    held = Table(**{kind: {"it": column}})
    mine = scheduler(Scores("s", ("it",), lambda ask, rows, cycle: formula(rows)), on=held)
    on = held.fork() if forked else held
    outcome = mine.schedule("me", "ask", table=on)
    before = outcome.picked[0].total
    if kind == "state" or not forked:
        on.write(1, {"it": column[0]})
        mine.schedule("me", "ask", table=on)

    assert outcome.picked[0].row == 1
    assert [term.contribution for term in outcome.picked[0].terms] == [before]


def test_contributions_are_made_from_the_shared_values_of_the_decision():
    rated = Scores("rated", ("free", "rate"), lambda ask, rows, cycle: rows.free * rows.rate)
    mine = scheduler(rated, on=table(rate=0.1))
    outcome = mine.schedule("me")
    mine.table.refresh(rate=0.0)

    assert outcome.picked[0].terms[0].contribution == outcome.picked[0].total == 3 * 0.1


def late(name="late", depends=Depends.CYCLE):
    return Scores(name, ("free",), lambda ask, rows, cycle: rows.free / 7 - 0.2 + cycle.now, depends)


@pytest.mark.parametrize("depends", [Depends.CYCLE, Depends.TABLE])
@pytest.mark.parametrize("weight", [3.0, 0.1, 0.0, -2.0])
def test_scores_that_are_not_kept_are_shown_as_they_were_said(depends, weight):
    mine = scheduler(Weighted(late(depends=depends), weight), Keeps("f", ("free",), lambda a, rows, c: rows.free < 3))
    outcome = mine.schedule("me", now=0.1)
    (term,) = outcome.picked[0].terms

    assert term.score == outcome.picked[0].row * 0 + (2 if outcome.picked[0].row == 2 else 1) / 7 - 0.2 + 0.1
    assert term.contribution == weight * term.score == outcome.picked[0].total


def test_what_is_out_of_range_is_shown_clamped():
    wild = Scores("wild", ("free",), lambda ask, rows, cycle: rows.free * 1.0, scale=2)
    terms = scheduler(wild, late()).schedule("me", now=5.0).picked[0].terms

    assert [(term.scorer, term.score) for term in terms] == [("wild", 1.0), ("late", 1.0)]


@pytest.mark.parametrize("kind", [Table, ListTable])
def test_a_plugin_that_is_filter_and_scorer_may_be_broken_in_one(kind):
    class Both(Scores):
        def mask(self, ask, rows, cycle):
            raise ValueError("no")

    both = Both("both", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)
    from bayplan.framework.handlers.single_profile import SingleProfile
    from bayplan.framework.pickers.max_score import MaxScore
    from bayplan.framework.profile import Profile
    from bayplan.framework.scheduler import Scheduler

    mine = Scheduler(
        [Profile("p", MaxScore(), (both,), (both,))], SingleProfile(), table=table(kind=kind), skip_broken=True
    )
    outcome = mine.schedule("me")

    assert outcome.results["p"].skipped == {"both": "raised ValueError: no"}
    assert [term.contribution for term in outcome.picked[0].terms] == [0.3]


def test_a_scorer_left_out_contributed_nothing():
    def boom(ask, rows, cycle):
        if rows.size > 1:
            raise ValueError("no")
        return rows.free / 10

    maker = Makes("maker", ("free",), lambda a, rows, c: {"made": boom(a, rows, c)}, produces=("made",))
    reader = Scores("reader", ("made",), lambda ask, rows, cycle: rows.made)
    outcome = scheduler(Scores("bad", ("free",), boom), maker, reader, freest(), skip_broken=True).schedule("me")

    assert {term.scorer: term.contribution for term in outcome.picked[0].terms} == {
        "bad": 0,
        "reader": 0,
        "freest": 0.3,
    }
    assert set(outcome.record()["runs"][0]["skipped"]) == {"bad", "maker", "reader"}


def test_an_earlier_outcome_keeps_what_was_skipped():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    mine = scheduler(Keeps("bad", ("free",), boom), freest(), skip_broken=True)
    outcome = mine.schedule("me")
    mine.evaluator("p").judge("ask", np.array([0]), {})
    mine.explain("p", "ask")

    assert outcome.results["p"].skipped == {"bad": "raised ValueError: no"}

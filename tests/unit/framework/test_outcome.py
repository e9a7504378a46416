import numpy as np
import pytest

from bayplan.framework.list_table import ListTable
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Books, Handles, Keeps, Makes, Scores, freest, roomy, run, scheduler, table


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
                "clamped": [],
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


def refuses(name, least):
    return Keeps(name, ("free",), lambda ask, rows, cycle: [free >= least for free in rows.free])


LINES = {
    "a pick": ({}, {}, "me: p: picked a (0.3)"),
    "several": ({"want": Want(3)}, {}, "me: p: picked a (0.3), c (0.2), b (0.1)"),
    "many": ({"want": Want(5)}, {"free": (3, 1, 2, 0, 5)}, "me: p: picked e (0.5), a (0.3), c (0.2) and 2 more"),
    "nothing": ({"want": Want(0)}, {}, "me: p: picked nothing, as wanted"),
    "nothing fits": ({}, {"least": 9}, "me: p: nothing fits, 0 of 3 rows passed (refused: roomy 3)"),
    "too few": ({"want": Want(3, 3)}, {"least": 2}, "me: p: too few, 2 of 3 rows passed (refused: roomy 1)"),
    "too few, all passed": ({"want": Want(4, 4)}, {}, "me: p: too few, 3 of 3 rows passed"),
    "without reasons": ({"reasons": False}, {"least": 9}, "me: p: nothing fits"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "on", "line"), LINES.values(), ids=LINES)
def test_an_outcome_is_printed_on_one_line(said, on, line):
    free = on.get("free", (3, 1, 2))
    mine = scheduler(roomy(least=on.get("least", 0)), freest(), on=table(free, [0] * len(free)))

    outcome = mine.schedule("me", "ask", **said)

    assert (str(outcome), repr(outcome)) == (line, f"<Outcome {line}>")
    assert repr(outcome.primary) == f"<RunResult {line.removeprefix('me: ')}>"


def test_a_line_has_room_for_three_codes_and_a_part_of_the_subject():
    filters = [refuses(f"f{least}", least) for least in (9, 3, 2, 4)]

    line = str(scheduler(*filters).schedule("two\nlines " + "long " * 20, "ask"))

    assert line == (
        "two lines long long long long long long long long long long…: p: nothing fits, 0 of 3 rows passed"
        " (refused: f9 3, f4 3, f3 2)"
    )


def test_all_runs_are_printed_where_none_counts():
    handler = Handles([run(name="one"), run(name="two", want=Want(0))], primary=None)

    assert str(scheduler(freest(), handler=handler).schedule("me")) == (
        "me: one: picked a (0.3); two: picked nothing, as wanted"
    )


def test_a_pick_is_printed_without_what_its_scorers_saw():
    (pick,) = scheduler(freest(), resolver=Books()).schedule("me").picked

    assert repr(pick) == f"Pick(row=0, key='a', levels=(0.3,), resolution={pick.resolution!r})"


def wild(**more):
    return Scores("wild", ("free",), lambda ask, rows, cycle: [free - 1.5 for free in rows.free], **more)


@pytest.mark.parametrize("kind", [Table, ListTable])
@pytest.mark.parametrize("depends", [None, Depends.CYCLE, Depends.TABLE])
def test_a_scorer_that_left_its_scale_is_told_in_every_outcome(kind, depends):
    tame = Scores("tame", ("free",), lambda ask, rows, cycle: [0.5] * rows.size)
    mine = scheduler(wild(depends=depends), tame, on=table(kind=kind))

    first, second = mine.schedule("me", "ask"), mine.schedule("me", "ask", explained=True)

    assert first.primary.clamped == second.primary.clamped == {"wild": 2}
    assert first.record()["runs"][0]["clamped"] == ["wild"]
    assert str(first) == "me: p: picked a (1.5); left their scale: wild"
    assert scheduler(freest()).schedule("me").primary.clamped == {}


def test_one_class_does_not_tell_of_another():
    fair = Scores("fair", ("free",), lambda ask, rows, cycle: rows.free / ask)
    mine = scheduler(fair)

    told = [mine.schedule("me", ask).primary.clamped for ask in (2, 10, 2, 10)]

    assert told == [{"fair": 1}, {}, {"fair": 1}, {}]


def test_rows_that_change_are_looked_at_again_and_forks_know_what_the_table_knows():
    mine = scheduler(freest())
    mine.schedule("me", "ask")
    mine.table.write(1, {"free": 20})
    fork = mine.table.fork()

    told = [mine.schedule("me", "ask", table=each).primary.clamped for each in (mine.table, fork, mine.table)]

    assert told == [{"freest": 1}] * 3


def test_hypothetical_rows_are_told_of_no_outcome():
    mine = scheduler(freest())
    mine.evaluator("p").judge("ask", np.array([0]), {"free": np.array([99])})

    assert mine.schedule("me", "ask").primary.clamped == {}


def test_a_broken_plugin_is_printed_too():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    outcome = scheduler(Keeps("bad", ("free",), boom), freest(), skip_broken=True).schedule("me")

    assert str(outcome) == "me: p: picked a (0.3); broken and left out: bad"

import numpy as np
import pytest

from bayplan.framework.evaluation.contributions import contributions
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Scores, freest, scheduler, table


def parts(*picks):
    return [
        [(term.scorer, term.contribution) for term in terms] for terms in contributions(pick.seen for pick in picks)
    ]


def alone(*picks):
    return [[(term.scorer, term.contribution) for term in pick.terms] for pick in picks]


def asked(name="asked"):
    return Scores(name, ("free",), lambda ask, rows, cycle: np.array(rows.free) / (10 * ask))


def test_rows_of_one_class_are_asked_about_together():
    score = asked()
    mine = scheduler(score)
    picks = [mine.schedule("s", ask, want=Want(2)).picked for ask in (1, 2, 1)]
    score.shown.clear()

    got = parts(*[pick for pair in picks for pick in pair])

    assert score.shown == [4, 2]
    assert got == [[("asked", n)] for n in (0.3, 0.2, 0.15, 0.1, 0.3, 0.2)]


def test_none_at_all():
    assert contributions([]) == []


@pytest.mark.parametrize("free", [(3, 1, 2), (0.5, 0.25, 0.125)])
def test_rows_of_a_table_and_of_its_forks_may_be_mixed(free):
    mine = scheduler(freest(), on=table(free))
    fork = mine.table.fork()
    picks = [mine.schedule("s", "ask", table=on).picked[0] for on in (mine.table, fork, mine.table)]
    fork.write(0, {"free": 0})
    picks += mine.schedule("s", "ask", table=fork).picked

    assert parts(*picks) == alone(*picks)
    assert parts(*picks)[0] == [("freest", free[0] / 10)]


def test_values_shared_at_other_times_are_not_mixed():
    rated = Scores("rated", ("free", "rate"), lambda ask, rows, cycle: rows.free * rows.rate)
    mine = scheduler(rated, on=table(rate=0.1))
    before = mine.schedule("s", "ask").picked
    mine.table.refresh(rate=0.2)
    after = mine.schedule("s", "ask").picked

    assert parts(*before, *after) == [[("rated", 3 * 0.1)], [("rated", 3 * 0.2)]]


def test_rows_added_between_two_decisions_do_no_harm():
    mine = scheduler(freest())
    before = mine.schedule("s", "ask").picked
    mine.table.add(["d"], {"free": [9], "zone": [0]})
    after = mine.schedule("s", "ask").picked

    assert parts(*before, *after) == [[("freest", 0.3)], [("freest", 0.9)]]


def test_what_was_left_out_in_one_decision_alone():
    def cranky(ask, rows, cycle):
        if (rows.free == 13).any():
            raise ValueError("unlucky")
        return rows.free / 100

    mine = scheduler(Scores("cranky", ("free",), cranky), freest(), skip_broken=True)
    sound = mine.schedule("s", "ask").picked
    mine.table.write(1, {"free": 13})
    broken = mine.schedule("s", "ask").picked
    mine.table.write(1, {"free": 1})

    assert parts(*sound, *broken) == [[("cranky", 0.03), ("freest", 0.3)], [("cranky", 0.0), ("freest", 1.0)]]


def test_over_lists_an_ask_need_not_be_hashable():
    mine = scheduler(asked(), on=table(kind=ListTable))
    pick = mine.schedule("s", 2).picked[0]
    unhashable = scheduler(
        Scores("s", ("free",), lambda ask, rows, cycle: [free / ask["by"] for free in rows.free]),
        on=table(kind=ListTable),
    )
    other = unhashable.schedule("s", {"by": 10}).picked[0]

    assert parts(pick, other, pick) == [[("asked", 0.15)], [("s", 0.3)], [("asked", 0.15)]]


@pytest.mark.parametrize("kind", [Table, ListTable])
@pytest.mark.parametrize("depends", [None, Depends.CYCLE, Depends.TABLE])
def test_scores_are_clamped_scaled_and_weighed(kind, depends):
    wild = Scores("wild", ("free",), lambda ask, rows, cycle: np.array(rows.free) * 60.0, depends, scale=100)
    low = Scores("low", ("free",), lambda ask, rows, cycle: -np.array(rows.free) * 1.0, depends)
    mine = scheduler(Weighted(wild, 3), Weighted(low, 5, 1), on=table((1, 1, 1), kind=kind))
    (terms,) = contributions([mine.schedule("s", 1).picked[0].seen])

    assert [(term.scorer, term.weight, term.level, term.score, term.contribution) for term in terms] == [
        ("wild", 3.0, 0, 0.6, 3 * 0.6),
        ("low", 5.0, 1, 0.0, 0.0),
    ]

"""One evaluator for each set of plugins that takes part, and what these share."""

import numpy as np
import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.evaluation import list_evaluator, prepared_evaluator
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import SKIP, Depends
from unit.framework.builders import Keeps, Makes, Scores, cycle, freest, roomy, rows_of, scheduler, table

CYCLE, TABLE = Depends.CYCLE, Depends.TABLE


def when(*asks):
    """Takes part for these asks only."""
    return lambda ask, table, cycle: None if ask in asks else SKIP


def later(ask, table, cycle):
    """Takes part from five o'clock on."""
    return None if cycle.now >= 5 else SKIP


def second_best(name="second", **more):
    """A TABLE filter: refuses the row with the most free."""
    return Keeps(name, ("free",), lambda a, r, c: r.free < r.free.max(), TABLE, **more)


def test_where_all_late_plugins_skip_the_evaluator_has_none():
    front = scheduler(freest(), second_best(prepare=later), freest("late", depends=CYCLE, prepare=later)).evaluator("p")

    early, late = (front.active("ask", cycle(now=now)) for now in (0.0, 6.0))

    assert (front.binding.late, early.binding.late, late.binding.late) == (True, False, True)
    assert (early.binding.inactive, late.binding.inactive) == (("second", "late"), ())
    assert early.totals("ask", cycle()).levels is early.sync("ask").levels


def test_sets_that_differ_in_late_plugins_share_what_is_kept():
    kept = freest()
    mine = scheduler(kept, second_best(prepare=later), freest("late", depends=CYCLE, prepare=when("ask")))

    rows = [rows_of(mine.schedule("me", ask, now=now)) for now in (0.0, 6.0, 0.0) for ask in ("ask", "other")]

    assert rows == [[0], [0], [2], [2], [0], [0]]
    assert kept.shown == [3, 3]  # once for each class


def test_written_rows_are_seen_by_every_set():
    mine = scheduler(freest(), second_best(prepare=later))

    for now in (0.0, 6.0):
        mine.schedule("me", "ask", now=now)
    mine.table.write(1, {"free": 9})

    assert [rows_of(mine.schedule("me", "ask", now=now)) for now in (6.0, 0.0)] == [[0], [1]]


def test_late_scores_of_one_set_are_not_told_of_another():
    mine = scheduler(freest(), freest("late", depends=CYCLE, prepare=later), freest("more", depends=CYCLE))

    with_late, without = (mine.schedule("me", "ask", now=now).picked[0] for now in (6.0, 0.0))

    assert [term.scorer for term in with_late.terms] == ["freest", "late", "more"]
    assert [term.scorer for term in without.terms] == ["freest", "more"]
    assert [round(pick.total, 6) for pick in (with_late, without)] == [0.9, 0.6]


def test_whether_a_kept_plugin_takes_part_belongs_to_the_class():
    picky = roomy("picky", least=9, prepare=when("large"))
    mine = scheduler(picky, freest())

    small, shown = mine.schedule("me", "small").ok, list(picky.shown)
    answers = [mine.schedule("me", ask).ok for ask in ("large", "small", "large")]

    assert (small, shown, answers) == (True, [], [False, True, False])
    assert mine.evaluator("p").sync("small").levels[0].tolist() == [0.3, 0.1, 0.2]
    assert mine.evaluator("p").sync("large").levels[0].tolist() == [-np.inf] * 3


def test_filters_behind_a_table_filter_that_skips_are_kept():
    behind = roomy("behind", least=3)
    mine = scheduler(second_best(prepare=later), behind, freest())

    picks = [rows_of(mine.schedule("me", "ask", now=now)) for now in (0.0, 0.0, 6.0)]

    assert picks == [[0], [0], []]
    assert behind.shown[0] == 3
    assert not mine.evaluator("p").active("ask", cycle()).binding.late


def test_columns_that_a_late_plugin_reads_are_kept_for_the_sets_that_have_it():
    half = Makes("half", ("free",), lambda a, r, c: {"half": r.free / 2}, produces=("half",))
    zoned = Makes("zoned", ("zone",), lambda a, r, c: {"zoned": r.zone * 1.0}, produces=("zoned",))
    late = Scores("late", ("half", "zoned"), lambda a, r, c: r.half / 10 + r.zoned / 10, CYCLE, prepare=later)
    mine = scheduler(half, zoned, freest(), late)

    totals = [mine.evaluator("p").totals("ask", cycle(now=now)).levels[0].tolist() for now in (0.0, 6.0, 0.0)]

    assert totals == [[0.3, 0.1, 0.2], pytest.approx([0.45, 0.15, 0.4]), [0.3, 0.1, 0.2]]


def test_hypothetical_rows_are_asked_of_the_active_evaluator():
    mine = scheduler(freest(), roomy("picky", least=2, prepare=when("large")), second_best(prepare=later))
    front = mine.evaluator("p")

    with pytest.raises(InputError, match=r"profile p: looks at the cycle .*`active\(ask, cycle\)`"):
        front.judge("large", np.array([1]), {})
    found = [
        front.active(ask, cycle()).judge(ask, np.array([1, 0]), {"free": np.array([1, 5])}) for ask in ("large", "s")
    ]

    assert [levels[0].tolist() for levels in found] == [[-np.inf, 0.5], [0.1, 0.5]]
    with pytest.raises(InputError, match="looks at the cycle"):
        front.active("large", cycle(now=6.0)).judge("large", np.array([1]), {})


def test_without_late_plugins_the_whole_evaluator_judges_too():
    front = scheduler(freest(), roomy("picky", least=2, prepare=when("large"))).evaluator("p")

    found = [front.judge(ask, np.array([1]), {"free": np.array([1])})[0].tolist() for ask in ("large", "small")]

    assert found == [[-np.inf], [0.1]]


def test_on_a_fork_sets_begin_with_what_those_of_the_table_know():
    kept = freest()
    mine = scheduler(kept, roomy("picky", least=2, prepare=when("large")), second_best(prepare=later))
    for ask in ("large", "small"):
        mine.schedule("me", ask)
    fork = mine.table.fork()
    fork.write(1, {"free": 1})
    fork.write(2, {"free": 8})
    before = len(kept.shown)

    rows = [rows_of(mine.schedule("me", ask, table=fork, now=now)) for ask in ("large", "small") for now in (0.0, 6.0)]

    assert rows == [[2], [0], [2], [0]]
    assert max(kept.shown[before:]) <= 2  # the written rows, and picks that are told again
    assert mine.evaluator("p", fork) is mine.evaluator("p", fork)
    assert [rows_of(mine.schedule("me", "large", now=now)) for now in (0.0, 6.0)] == [[0], [2]]


def test_lists_have_a_set_of_plugins_for_each_run_too():
    scores = Scores("s", ("free",), lambda a, r, c: [each / 10 for each in r.free])
    most = Keeps("m", ("free",), lambda a, r, c: [each < max(r.free) for each in r.free], TABLE, prepare=later)
    mine = scheduler(scores, most, on=table(kind=ListTable))

    assert [rows_of(mine.schedule("me", "ask", now=now)) for now in (0.0, 6.0, 0.0)] == [[0], [2], [0]]


def test_few_sets_are_remembered(monkeypatch):
    monkeypatch.setattr(prepared_evaluator, "MOST_PARTS", 2)
    filters = [roomy(f"f{n}", least=9, prepare=lambda ask, t, c, n=n: None if ask == n else SKIP) for n in range(4)]
    mine = scheduler(*filters, freest(prepare=lambda ask, t, c: SKIP if ask == 7 else None))
    front = mine.evaluator("p")

    answers = [mine.schedule("me", ask).ok for ask in (0, 1, 2, 3, 7, 8, 0, 8)]

    assert answers == [False, False, False, False, True, True, False, True]
    assert len(front._parts) <= 2
    for ask in (0, 1, 0, 1):
        mine.schedule("me", ask)
    assert len(front._parts) == 2


def test_lists_share_a_program_for_each_set_and_remember_few(monkeypatch):
    monkeypatch.setattr(list_evaluator, "MOST_PARTS", 2)
    filters = [
        Keeps(f"f{n}", ("free",), lambda a, r, c: [False] * r.size, prepare=lambda a, t, c, n=n: when(n)(a, t, c))
        for n in range(4)
    ]
    mine = scheduler(*filters, on=table(kind=ListTable))
    front = mine.evaluator("p")

    answers = [mine.schedule("me", ask).ok for ask in (0, 1, 2, 3, 7, 0, 7)]

    assert answers == [False, False, False, False, True, False, True]
    assert front.active(7, cycle()).program is front.active(7, cycle()).program
    assert len(front.program._parts) <= 2
    assert [front.totals(ask, cycle()).survivors() for ask in (0, 7)] == [[], [0, 1, 2]]

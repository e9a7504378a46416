"""Rows of one group: which group is taken, who ranks them, and what is told where none has enough."""

from dataclasses import dataclass

import numpy as np
import pytest

from bayplan.framework.errors import ConfigError, InputError, PluginError
from bayplan.framework.evaluation.groups import one_group
from bayplan.framework.evaluation.stages import Tally
from bayplan.framework.evaluation.totals import ArrayTotals, ListTotals
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import SKIP, Depends, Run, Want
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Handles, Keeps, Scores, Spy, cycle, rows_of, scheduler

inf = float("inf")


STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def totals_of(kind, sums):
    if kind is Table:
        return ArrayTotals([np.array(sums, float)])
    rows = [row for row, total in enumerate(sums) if total != -inf]
    return ListTotals(rows, [[float(sums[row]) for row in rows]])


GROUPS = {  # totals, groups, want, rows left
    "the group of the best row": ([1, 5, 3, 4], "aabb", Want(2, 1, "rack"), [0, 1]),
    "enough rows come first": ([9, 5, 3, 4], "abbb", Want(2, 1, "rack"), [1, 2, 3]),
    "else the minimum": ([9, 5, 3, 4], "abbc", Want(3, 2, "rack"), [1, 2]),
    "the best of those with the minimum": ([9, 5, 8, 4], "abba", Want(4, 2, "rack"), [0, 3]),
    "not even the minimum": ([9, 5, 3], "abc", Want(3, 2, "rack"), None),
    "refused rows do not count": ([9, -inf, 3, 2], "aabb", Want(2, 2, "rack"), [2, 3]),
    "one row is a group": ([1, 2], "ab", Want(1, 1, "rack"), [1]),
}


@STORAGES
@pytest.mark.parametrize(("sums", "groups", "want", "wanted"), GROUPS.values(), ids=GROUPS)
def test_one_group(kind, sums, groups, want, wanted):
    table = kind(static={"rack": list(groups)})

    narrowed = one_group(totals_of(kind, sums), table, want, "ask", cycle(), Tally())

    assert narrowed is None if wanted is None else narrowed.survivors() == wanted


def racks(kind=Table, rack="aabbc", free=(1, 2, 3, 4, 9), spare=(5, 5, 1, 1, 9), **more):
    return kind(
        static={"rack": list(rack), "spare": list(spare)}, state={"free": list(free)}, keys=list("vwxyz"), **more
    )


def freest():
    return Scores("freest", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)


def at_least(least):
    return Keeps("at-least", ("free",), lambda ask, rows, cycle: np.array(rows.free) >= least)


def by(column, most=10, name="by", **more):
    return Scores(name, (column,), lambda ask, rows, cycle: np.array(getattr(rows, column)) / most, **more)


def same():
    return Scores("same", ("free",), lambda ask, rows, cycle: np.full(rows.size, 0.5))


RANKED = {  # who ranks, want of (desired, minimum), rows picked
    "its own scorer": ((by("spare"),), (2, 1), [1, 0]),
    "without one, the best row": ((), (2, 1), [3, 2]),
    "groups with all rows come first": ((by("spare"),), (3, 1), [4]),
    "equal groups keep the order of the table": ((same(),), (2, 1), [1, 0]),
    "weights": ((Weighted(by("spare"), -1.0),), (2, 1), [3, 2]),
    "levels": ((Weighted(same(), 1.0, 0), Weighted(by("spare"), -1.0, 1)), (2, 1), [3, 2]),
    "by how many rows are left": ((by("group_rows_left"),), (1, 1), [1]),
    "by the sum over the rows it would give": ((by("group_sum_free", 20),), (2, 1), [3, 2]),
    "by the sum over one row": ((by("group_sum_free", 20),), (1, 1), [4]),
    "the best row is shown": ((by("free", name="most"),), (2, 2), [3, 2]),
    "another scale": ((by("free", 0.1, scale=100),), (2, 2), [3, 2]),
    "another scale beside one's own": (
        (by("free", 0.1, scale=100), Weighted(by("spare", name="s"), 0.25)),
        (2, 2),
        [3, 2],
    ),
}


@STORAGES
@pytest.mark.parametrize(("ranked_by", "many", "rows"), RANKED.values(), ids=RANKED)
def test_groups_are_ranked_by_scorers_of_their_own(kind, ranked_by, many, rows):
    outcome = scheduler(freest(), on=racks(kind)).schedule("me", want=Want(*many, "rack", ranked_by))

    assert rows_of(outcome) == rows


@STORAGES
def test_refused_rows_are_not_shown_to_those_who_rank(kind):
    seen = []

    def score(ask, rows, cycle):
        seen.append((list(rows.free), list(rows.group_rows_left)))
        assert type(rows.group_rows_left) is type(rows.free)
        return np.array(rows.spare) / 10

    ranks = Scores("ranks", ("free", "spare", "group_rows_left"), score)
    mine = scheduler(freest(), at_least(2), on=racks(kind))

    assert rows_of(mine.schedule("me", want=Want(1, 1, "rack", (ranks,)))) == [4]
    assert seen == [([9, 4, 2], [1, 2, 1])]


@STORAGES
def test_who_ranks_may_look_at_the_cycle_and_may_skip(kind):
    def current(ask, rows, cycle):
        return (
            [1.0 * (rack == cycle.subject) for rack in rows.rack]
            if kind is ListTable
            else (rows.rack == cycle.subject) * 1.0
        )

    def prepare(ask, table, cycle):
        return SKIP if cycle.subject == "" else None

    ranks = Scores("current", ("rack",), current, Depends.CYCLE, prepare=prepare)
    mine, want = scheduler(freest(), on=racks(kind)), Want(2, 1, "rack", (ranks,))

    assert [rows_of(mine.schedule(subject, "ask", want=want)) for subject in ("b", "a", "")] == [[3, 2], [1, 0], [1, 0]]


WRONG = {
    "NaN": (
        Scores("r", ("free",), lambda a, r, c: np.full(r.size, np.nan)),
        "^plugin r: answered NaN for 3 of 3 groups",
    ),
    "too few": (Scores("r", ("free",), lambda a, r, c: np.zeros(1)), "plugin r: answered"),
    "it raises": (Scores("r", ("free",), lambda a, r, c: 1 / 0), "plugin r: raised ZeroDivisionError"),
}


@STORAGES
@pytest.mark.parametrize(("scorer", "message"), WRONG.values(), ids=WRONG)
def test_a_broken_scorer_of_groups_is_named_or_left_out(kind, scorer, message):
    want = Want(2, 1, "rack", (scorer,))

    with pytest.raises(PluginError, match=message):
        scheduler(freest(), on=racks(kind)).schedule("me", want=want)
    outcome = scheduler(freest(), on=racks(kind), skip_broken=True).schedule("me", want=want)

    assert (rows_of(outcome), list(outcome.primary.skipped)) == ([1, 0], ["r"])


@STORAGES
def test_scores_of_groups_are_clamped_and_counted(kind):
    spy = Spy()
    wild = Scores("wild", ("spare",), lambda a, r, c: (np.array(r.spare) - 1.0) / 4)  # 1.0, 0.0 and 2.0

    outcome = scheduler(freest(), on=racks(kind), observers=[spy]).schedule("me", want=Want(2, 1, "rack", (wild,)))

    assert rows_of(outcome) == [1, 0]
    assert ("clamped", "wild", 1) in spy.told


CLAMPED = {  # score of a group by `spare` (5 of a, 1 of b, 9 of c), weight, the row picked
    "above one is one": (lambda spare: (spare - 1.0) / 4, 1.0, 1),
    "below zero is zero": (lambda spare: (spare - 5.0) / 4, -1.0, 1),
    "between them nothing changes": (lambda spare: spare / 9, 1.0, 4),
}


@STORAGES
@pytest.mark.parametrize(("score", "weight", "row"), CLAMPED.values(), ids=CLAMPED)
def test_clamped_scores_rank_groups(kind, score, weight, row):
    ranks = Weighted(Scores("ranks", ("spare",), lambda a, r, c: score(np.array(r.spare))), weight)

    assert rows_of(scheduler(freest(), on=racks(kind)).schedule("me", want=Want(1, 1, "rack", (ranks,)))) == [row]


@STORAGES
def test_a_scorer_of_rows_and_of_groups_is_clamped_in_both(kind):
    spy = Spy()
    wild = Scores("wild", ("spare",), lambda a, r, c: (np.array(r.spare) - 1.0) / 4)

    scheduler(wild, on=racks(kind), observers=[spy]).schedule("me", want=Want(2, 1, "rack", (wild,)))

    assert [told for told in spy.told if told[0] == "clamped"] == [("clamped", "wild", 2)]


@STORAGES
def test_scorers_of_groups_are_told_the_ask(kind):
    def prepare(ask, table, cycle):
        return SKIP if ask == "any" else None

    def score(ask, rows, cycle):
        return [1.0 * (each in (ask, "c")) for each in rows.rack]

    ranks = Scores("named", ("rack",), score)
    ranks.prepare = prepare
    mine, want = scheduler(freest(), on=racks(kind)), Want(1, 1, "rack", (ranks,))

    outcomes = [mine.schedule("me", ask, want=want) for ask in ("c", "b", "any")]

    assert [rows_of(outcome) for outcome in outcomes] == [[4], [3], [1]]  # equal groups keep the order of the table


@STORAGES
def test_the_cycle_is_closed_to_scorers_of_groups_that_do_not_declare_it(kind):
    ranks = Scores("clock", ("free",), lambda ask, rows, cycle: np.full(rows.size, cycle.now))

    with pytest.raises(PluginError, match=r"^plugin clock: looks at cycle\.now"):
        scheduler(freest(), on=racks(kind)).schedule("me", want=Want(1, 1, "rack", (ranks,)))


def test_a_group_without_a_number_is_an_error():
    ranks = Scores("r", ("free",), lambda ask, rows, cycle: [0.5, None, 1])

    with pytest.raises(PluginError, match=r"^plugin r: answered NaN for 1 of 3 groups$"):
        scheduler(freest(), on=racks(ListTable)).schedule("me", want=Want(1, 1, "rack", (ranks,)))


def test_who_ranks_reads_columns_of_the_table():
    want = Want(2, 1, "rack", (by("nothing"),))

    with pytest.raises(ConfigError, match="'by' reads 'nothing', which no plugin produces; there are: free, group_"):
        scheduler(freest(), on=racks()).schedule("me", want=want)


@dataclass
class Unhashable:
    """A dataclass that can be compared cannot be hashed."""

    reads: tuple[str, ...] = ("spare",)

    name = "unhashable"

    def score(self, ask, rows, cycle):
        return rows.spare / 10


def test_a_scorer_that_cannot_be_hashed_ranks_all_the_same():
    outcome = scheduler(freest(), on=racks()).schedule("me", want=Want(2, 1, "rack", (Unhashable(),)))

    assert rows_of(outcome) == [1, 0]


BAD_WANTS = {
    "no tuple": ({"group": "rack", "ranked_by": by("spare")}, r"want\.ranked_by: .* is no tuple; give a tuple"),
    "no group": ({"ranked_by": (by("spare"),)}, r"want\.ranked_by: there are no groups to rank; name the column"),
}


@pytest.mark.parametrize(("said", "message"), BAD_WANTS.values(), ids=BAD_WANTS)
def test_how_groups_cannot_be_ranked(said, message):
    with pytest.raises(InputError, match=message):
        Want(2, 1, **said)


@STORAGES
def test_scorers_of_one_level_are_added(kind):
    ranked_by = (Weighted(by("spare"), 3.0), by("free", name="f"))
    two_racks = racks(kind, free=(1, 2, 3, 9, 1), spare=(5, 5, 4, 4, 0))  # 1.5 + 0.2 of a, 1.2 + 0.9 of b

    assert rows_of(scheduler(freest(), on=two_racks).schedule("me", want=Want(2, 2, "rack", ranked_by))) == [3, 2]
    assert rows_of(scheduler(freest(), on=two_racks).schedule("me", want=Want(2, 2, "rack", ranked_by[::-1]))) == [3, 2]


@STORAGES
def test_groups_need_a_column(kind):
    with pytest.raises(InputError) as caught:
        scheduler(freest(), on=racks(kind)).schedule("me", want=Want(2, 1, "zone"))

    assert str(caught.value) == "want.group: there is no column 'zone' to group by; there are: free, rack, spare"


def test_groups_have_one_value_a_row():
    cards = Table(static={"cards": [[1, 2], [3, 4]]}, state={"free": [1, 1]})

    message = r"^want\.group: the column 'cards' has several values a row; group by a column with one value a row"
    with pytest.raises(InputError, match=message):
        scheduler(freest(), on=cards).schedule("me", want=Want(2, 1, "cards"))


@STORAGES
def test_too_few_tells_which_rows_of_each_group_passed(kind):
    outcome = scheduler(freest(), at_least(2), on=racks(kind)).schedule("me", want=Want(4, 3, "rack"))
    groups = outcome.explanations["p"].groups

    assert outcome.primary.status == "too-few"
    assert [(group.value, group.passed, group.refused, group.enough) for group in groups] == [
        ("a", (1,), (0,), False),
        ("b", (2, 3), (), False),
        ("c", (4,), (), False),
    ]
    assert [group.message for group in groups] == [
        "rack a: 1 of 2 rows passed, 4 wanted, at least 3",
        "rack b: 2 of 2 rows passed, 4 wanted, at least 3",
        "rack c: 1 of 1 rows passed, 4 wanted, at least 3",
    ]


@STORAGES
def test_too_few_of_the_whole_table(kind):
    outcome = scheduler(freest(), at_least(3), on=racks(kind)).schedule("me", want=Want(4, 4))
    (all_rows,) = outcome.explanations["p"].groups

    assert all_rows.message == "the table: 3 of 5 rows passed, 4 wanted"
    assert (all_rows.passed, all_rows.refused) == ((2, 3, 4), (0, 1))


def test_groups_are_told_of_explained_picks_too_and_of_single_rows_never():
    mine = scheduler(freest(), at_least(3), on=racks())

    picked = mine.schedule("me", want=Want(2, 1, "rack"), explained=True).explanations["p"]
    single = mine.schedule("me", explained=True).explanations["p"]

    assert [(group.value, group.enough) for group in picked.groups] == [("a", False), ("b", True), ("c", True)]
    assert single.groups == ()


def test_many_equal_rows_are_grouped_too():
    rack = [place % 4 for place in range(400)]
    big = Table(static={"rack": rack}, state={"free": [place % 2 for place in range(400)]})

    outcome = scheduler(freest(), at_least(1), on=big).schedule("me", want=Want(101, 101, "rack"))

    assert [(group.value, len(group.passed)) for group in outcome.explanations["p"].groups] == [
        (0, 0), (1, 100), (2, 0), (3, 100),
    ]  # fmt: skip


def test_a_run_that_wants_nothing_is_not_explained_beside_one_that_failed():
    handler = Handles([Run("p", "none", want=Want(0)), Run("p", "some", want=Want(9, 9))], primary="some")

    outcome = scheduler(freest(), on=racks(), handler=handler).schedule("me")

    assert (list(outcome.explanations), outcome.results["none"].ok) == (["some"], True)

"""Explaining agrees with deciding: the same rows, the same numbers, and a word for every candidate."""

import numpy as np
from hypothesis import given, strategies as st

from bayplan.framework.filters.sample import Sample
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.pickers.random import Random
from bayplan.framework.pickers.weighted_random import WeightedRandom
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Profile
from bayplan.framework.reasons import NOT_EVALUATED, NOT_SCORED
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from properties import oracle
from properties.checker import added_up, bits
from properties.strategies import asks, nows, plans, state_values, worlds
from properties.worlds import profile_of, scheduler_of, table_of

storages = st.sampled_from((Table, ListTable))
pickers = st.sampled_from((MaxScore(), MaxScore(ties="seeded"), Random(), WeightedRandom()))
seeds = st.integers(0, 2**63)


@given(plans(), worlds(), asks, nows, storages)
def test_explain_agrees_with_the_oracle_filter_by_filter(plan, world, ask, now, storage):
    scheduler = scheduler_of(plan, table_of(world, storage))
    said = oracle.refused_by(plan, world, ask, now)

    explanation = scheduler.explain("p", ask, now=now)

    for row in range(len(world.rows)):
        wanted = []
        for place, use in enumerate(plan.filters):
            if said[place][row] is None:
                wanted.append((f"f{place}", NOT_EVALUATED))
            elif not said[place][row]:
                wanted.append((f"f{place}", f"f{place}"))
            assert said[place][row] is not None or oracle.FILTERS[use.kind] == "table"
        rejections = explanation.rejections(row).get(row, [])
        assert [(rejection.filter, rejection.code) for rejection in rejections] == wanted
        assert explanation.rejections().get(row, []) == rejections


@given(plans(), worlds(), asks, nows, storages)
def test_a_row_is_ranked_exactly_if_no_filter_refuses_it(plan, world, ask, now, storage):
    scheduler = scheduler_of(plan, table_of(world, storage))
    levels = oracle.totals(plan, world, ask, now)

    outcome = scheduler.schedule("s", ask, now=now, explained=True)
    explanation = outcome.explanations["p"]

    ranked = explanation.ranked()
    assert [each.row for each in ranked] == oracle.ranked(levels)
    assert {each.row for each in ranked}.isdisjoint(explanation.rejections())
    assert {each.row for each in ranked} | explanation.rejections().keys() == set(range(len(world.rows)))
    for each in ranked:
        assert each.key == f"row-{each.row}"
        assert bits(each.levels) == bits([level[each.row] for level in levels])
        assert bits(added_up(each.terms, len(levels))) == bits(each.levels)
    if outcome.ok:
        assert outcome.picked[0].row == ranked[0].row
        assert outcome.picked[0].terms == ranked[0].terms


@given(plans(), worlds(), asks, nows, st.sampled_from((Table, ListTable)), pickers, seeds)
def test_same_snapshot_and_seed_same_outcome_explained_or_not(plan, world, ask, now, storage, picker, seed):
    want = Want(desired=2)
    first = scheduler_of(plan, table_of(world, storage), picker=picker)
    again = scheduler_of(plan, table_of(world, storage), picker=picker)
    again.schedule("another", ask, seed=seed + 1)

    one = first.schedule("s", ask, want=want, seed=seed, now=now)
    two = again.schedule("s", ask, want=want, seed=seed, now=now, explained=True)

    assert one.record() == two.record()


@given(plans(), worlds(), asks, nows, st.lists(st.tuples(st.integers(0, 30), state_values), max_size=5))
def test_contributions_read_later_are_those_of_the_decision(plan, world, ask, now, writes):
    now_read, later_read = (scheduler_of(plan, table_of(world)) for _ in range(2))

    wanted = now_read.schedule("s", ask, now=now).record()
    outcome = later_read.schedule("s", ask, now=now)
    for place, values in writes:
        if world.rows:
            later_read.table.write(place % len(world.rows), values)
    later_read.table.refresh(rate=-3.0, cap=17.0)
    later_read.schedule("s", ask, now=now + 1)

    assert outcome.record() == wanted


@given(plans(), worlds(), asks, st.integers(1, 4), storages, seeds)
def test_what_a_sample_leaves_out_is_not_scored(plan, world, ask, count, storage, seed):
    table = table_of(world, storage)
    plain = profile_of(plan, lists=storage is ListTable)
    profile = Profile(
        "p",
        MaxScore(),
        filters=(*plain.named_filters, Sample(count)),
        scorers=plain.weighted,
        producers=plain.producers,
    )
    scheduler = Scheduler([profile], SingleProfile(), table=table)
    passing = [row for row, total in enumerate(oracle.totals(plan, world, ask, 0.0)[0]) if total != -oracle.inf]

    outcome = scheduler.schedule("s", ask, seed=seed, explained=True)
    explanation = outcome.explanations["p"]

    ranked = {each.row for each in explanation.ranked()}
    left_out = {row for row, why in explanation.rejections().items() if why[-1].code == NOT_SCORED}
    assert ranked | left_out == set(passing)
    assert len(ranked) == min(count, len(passing))
    assert {pick.row for pick in outcome.picked} <= ranked


class Fickle:
    """A scorer that throws dice, one a row shown: so it looks at the others, and must get the survivors only."""

    name, reads, depends = "fickle", (), Depends.TABLE

    def score(self, ask, rows, cycle):
        return np.array([cycle.chance(1000) / 1000 for _ in range(rows.size)])


@given(worlds(), st.integers(1, 5), storages, seeds)
def test_explaining_draws_what_deciding_drew(world, count, storage, seed):
    profile = Profile("p", MaxScore(ties="seeded"), filters=(Sample(count),), scorers=(Fickle(),))
    scheduler = Scheduler([profile], SingleProfile(), table=table_of(world, storage))

    outcome = scheduler.schedule("s", seed=seed, explained=True)

    if outcome.ok:
        best = outcome.explanations["p"].ranked()[0]
        assert best.total == outcome.picked[0].total
        assert outcome.picked[0].terms == best.terms or outcome.picked[0].row != best.row

"""Caches that are wrong on purpose: each must be caught by the very checker that `test_folded` uses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bayplan.framework import scheduler
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.evaluator import Evaluator
from bayplan.framework.evaluation.fork_evaluator import ForkEvaluator
from bayplan.framework.evaluation.prepared_evaluator import PreparedEvaluator
from bayplan.framework.plugins import Depends
from properties.checker import walk
from properties.strategies import budgets, journeys, plans, worlds

SEARCH = settings(
    max_examples=1000,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class ForgetsRowLog(Evaluator):
    def _redo_rows(self, kept, ask, index):
        if index is None:
            super()._redo_rows(kept, ask, None)
        kept.tick = self.table.log.tick


class ForgetsStaticLog(Evaluator):
    def _redo_static(self, kept, ask):
        kept.static_tick = self.table.static_log.tick
        return False


class RedoesStaticButNotItsColumns(Evaluator):
    """The sums are redone, what static producers made is not."""

    def _redo_static(self, kept, ask):
        made = {name: column.copy() for name, column in kept.made.items()}
        whole = super()._redo_static(kept, ask)
        kept.made = made
        return whole


class ForgetsEpochs(Evaluator):
    def _epochs(self):
        return (0,) * len(self._shared)


class KeepsAcrossGenerations(Evaluator):
    def sync(self, ask):
        kept = self.classes.get(ask)
        if kept is not None and len(kept.levels[0]) == self.table.size:
            kept.generation = self.table.generation
        return super().sync(ask)


class RedoesAllButTheLastRow(Evaluator):
    def _redo_rows(self, kept, ask, index):
        super()._redo_rows(kept, ask, index if index is None or len(index) < 2 else index[:-1])


class KeepsOneClassForAll(Evaluator):
    """As if the ask's tag were no part of the class."""

    def sync(self, ask):
        return super().sync(replace(ask, tag=0))


class AddsOntoOldSums(Evaluator):
    """Redone rows are added to what was there instead of to the static sums."""

    def _redo_some(self, kept, ask, index):
        bases, kept.bases = kept.bases, kept.levels
        super()._redo_some(kept, ask, index)
        kept.bases = bases


class ForgetsMadeColumns(Evaluator):
    """What row producers made is not kept for the later stages."""

    def _redo_some(self, kept, ask, index):
        made = {name: kept.made[name].copy() for name in self.binding.kept}
        super()._redo_some(kept, ask, index)
        kept.made.update(made)


class KeepsWhatTheCycleSaid(Evaluator):
    def _late(self, kept, ask, cycle):
        said = self.__dict__.setdefault("said", {})
        if (ask, kept.tick) not in said:
            said[ask, kept.tick] = super()._late(kept, ask, cycle)
        return said[ask, kept.tick]


class JudgesWithoutStaticSums(Evaluator):
    def judge(self, ask, index, state):
        kept = self.sync(ask)
        bases, kept.bases = kept.bases, [np.zeros_like(base) for base in kept.bases]
        levels = super().judge(ask, index, state)
        kept.bases = bases
        return levels


class SharesArraysWithItsFork(ForkEvaluator):
    def _first_sight(self, ask):
        kept = super()._first_sight(ask)
        known = self._base.sync(ask)
        for whole, level in zip(known.levels, kept.levels, strict=True):
            whole[:] = level
        kept.levels = known.levels
        return kept


class ForgetsWhatTheForkWrote(ForkEvaluator):
    def _redo_rows(self, kept, ask, index):
        kept.tick = self.table.log.tick


class KeepsWhoSkips(PreparedEvaluator):
    """As if whether a plugin takes part never changed with the cycle."""

    def active(self, ask, cycle):
        known = self.__dict__.setdefault("known", {})
        if ask not in known:
            known[ask] = super().active(ask, cycle)
        return known[ask]


class SharesAllThatIsKept(PreparedEvaluator):
    """As if plugins whose answers are kept never skipped."""

    def _shared(self, made):
        home = self._homes.setdefault("one", made)
        return made if home is made else home.sharing(made.binding)


class AsksOfTheFirstOnly(PreparedEvaluator):
    """As if it were the same for all asks who takes part."""

    def active(self, ask, cycle):
        return super().active(replace(ask, tag=1), cycle)


def scorers_in_profile_order(bind):
    """The order of addition is the profile's, not static, row, cycle, table."""

    def wrong(profile, schema, wrap=None):
        binding = bind(profile, schema, wrap)
        names = [use.key for use in profile.weighted]
        stages = {
            field: replace(
                getattr(binding, field),
                scorers=tuple(reversed(getattr(binding, field).scorers)),
                weights=getattr(binding, field).weights[::-1],
            )
            for field in ("static", "row", "cycle", "table")
        }
        return replace(binding, **stages, scorers=tuple(sorted(binding.scorers, key=lambda use: names.index(use.name))))

    return wrong


def filters_across_the_table(bind):
    """Row-by-row filters behind a TABLE filter are folded with those before it."""

    def wrong(profile, schema, wrap=None):
        binding = bind(profile, schema, wrap)
        moved = [use for use in binding.tail if use.depends is Depends.ROW]
        row = replace(binding.row, filters=(*binding.row.filters, *moved), **_inputs(binding, moved))
        return replace(binding, row=row, tail=tuple(use for use in binding.tail if use not in moved))

    return wrong


def _inputs(binding, moved):
    read = {name for use in moved for name in use.reads}
    own = {name for use in binding.row.producers for name in use.plugin.produces}
    schema = binding.schema
    return {
        "columns": tuple({*binding.row.columns, *(read & (schema.static | schema.state))}),
        "shared": tuple({*binding.row.shared, *(read & schema.shared)}),
        "made": tuple({*binding.row.made, *(read - schema.names - own)}),
    }


KEPT, ALL, OTHERS = {"static", "row"}, {"static", "row", "cycle", "table"}, {"row", "table"}
EVALUATORS = {
    ForgetsRowLog: KEPT,
    ForgetsStaticLog: KEPT,
    RedoesStaticButNotItsColumns: KEPT,
    ForgetsEpochs: KEPT,
    KeepsAcrossGenerations: KEPT,
    RedoesAllButTheLastRow: KEPT,
    KeepsOneClassForAll: KEPT,
    AddsOntoOldSums: KEPT,
    ForgetsMadeColumns: ALL,
    KeepsWhatTheCycleSaid: ALL,
    JudgesWithoutStaticSums: KEPT,
}


CAUGHT = (AssertionError, PluginError, LookupError, ValueError)
"""A wrong answer, or a crash: what is kept for other plugins may lack a column or have another length.

`test_folded` takes the same walk over the right code, where neither may happen.
"""


def check(among):
    """The walk of `test_folded` over profiles of these dependences, until something differs."""

    @SEARCH
    @given(plans(among=among), worlds(6), budgets, journeys)
    def search(plan, world, budget_bytes, journey):
        walk(plan, world, budget_bytes, journey)

    with pytest.raises(CAUGHT):
        search()


@pytest.mark.parametrize(("wrong", "among"), EVALUATORS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_a_wrong_cache_is_caught(wrong, among, monkeypatch):
    monkeypatch.setattr(scheduler, "Evaluator", wrong)

    check(among)


@pytest.mark.parametrize(
    ("wrong", "among"),
    [(KeepsWhoSkips, ALL), (SharesAllThatIsKept, KEPT), (AsksOfTheFirstOnly, KEPT)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_wrong_set_of_active_plugins_is_caught(wrong, among, monkeypatch):
    monkeypatch.setattr(scheduler, "PreparedEvaluator", wrong)

    check(among)


@pytest.mark.parametrize("wrong", [SharesArraysWithItsFork, ForgetsWhatTheForkWrote])
def test_a_wrong_fork_is_caught(wrong, monkeypatch):
    monkeypatch.setattr(scheduler, "ForkEvaluator", wrong)

    check(KEPT)


@pytest.mark.parametrize(("wrong", "among"), [(scorers_in_profile_order, ALL), (filters_across_the_table, OTHERS)])
def test_a_wrong_order_is_caught(wrong, among, monkeypatch):
    monkeypatch.setattr(scheduler, "bind", wrong(scheduler.bind))

    check(among)

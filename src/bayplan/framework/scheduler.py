"""The one path to every decision: profiles run as a handler says, over whatever table is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from bayplan.framework.binding import Binding, bind
from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import HandlerError, InputError, PickerError, PluginError
from bayplan.framework.evaluator import Evaluator, ForkEvaluator
from bayplan.framework.explain import Explanation, explain
from bayplan.framework.fork import Fork
from bayplan.framework.list_evaluator import ListEvaluator
from bayplan.framework.list_table import ListTable
from bayplan.framework.observing import observed
from bayplan.framework.outcome import Decision, Outcome, Pick, RunResult
from bayplan.framework.plugins import ONE, Resolution
from bayplan.framework.stages import Tally
from bayplan.framework.totals import one_group

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from bayplan.framework.plugins import CandidateSource, Observer, ProfileHandler, Run, Want
    from bayplan.framework.profile import Profile
    from bayplan.framework.table import AnyTable
    from bayplan.framework.totals import Totals

AnyEvaluator: TypeAlias = Evaluator | ListEvaluator

MOST_RUNS = 1000
DEFAULT_BUDGET_BYTES = 256 * 1024 * 1024


class Scheduler:
    """Decides; it neither writes nor waits. Snapshot in, decision with reasons out, commit elsewhere.

    Exactly one handler, any number of profiles. Not for several threads at once: one writer owns a table, and
    whoever decides on it.
    """

    def __init__(
        self,
        profiles: Iterable[Profile],
        handler: ProfileHandler,
        *,
        table: AnyTable | None = None,
        sources: Iterable[CandidateSource] = (),
        observers: Sequence[Observer] = (),
        skip_broken: bool = False,
        budget_bytes: int = DEFAULT_BUDGET_BYTES,
    ) -> None:
        self.profiles: Mapping[str, Profile] = {profile.name: profile for profile in profiles}
        self.handler = handler
        self.table = table
        self.sources = {source.name: source for source in sources}
        self.observers = tuple(observers)
        self._budget_bytes = budget_bytes
        self._tally = Tally(lenient=skip_broken)
        self._evaluators: dict[str, AnyEvaluator] = {}
        self._forked: dict[str, ForkEvaluator] = {}
        if not self.profiles:
            raise InputError("has no profile", place="scheduler", next="give it at least one")

    def schedule(
        self,
        subject: Any,
        ask: Hashable = None,
        *,
        table: AnyTable | None = None,
        want: Want = ONE,
        seed: int = 0,
        now: float = 0.0,
        explained: bool = False,
    ) -> Outcome:
        """One decision. Without an `ask`, the subject is its own; with `explained`, every candidate is accounted for."""
        if ask is None:
            ask = subject
        candidates = self.table if table is None else table
        cycle = Cycle(subject, ask, seed=seed, now=now)
        results: dict[str, RunResult] = {}
        handler = self.handler
        while runs := handler.pick_profiles(cycle, self.profiles, results):
            fresh = {}
            for run in runs:
                name = run.name or run.profile
                if name in results or name in fresh:
                    raise HandlerError(handler.name, f"runs {name!r} twice", next="give the second run another name")
                fresh[name] = self._run(run, name, cycle, candidates, want, explained=explained)
            results = {**results, **fresh} if results else fresh
            cycle.results = results
            if len(results) > MOST_RUNS:
                raise HandlerError(handler.name, f"does not come to an end: {len(results)} runs in one cycle")
        if not results:
            raise HandlerError(handler.name, "runs no profile", next=f"there are: {', '.join(self.profiles)}")
        decision = handler.process_results(cycle, results)
        if type(decision) is not Decision or (decision.primary is not None and decision.primary not in results):
            raise HandlerError(handler.name, f"decides for a run that was not there: {decision!r}")
        outcome = Outcome(subject, seed, now, results, decision)
        for observer in self.observers:
            observer.decided(outcome)
        return outcome

    def schedule_many(
        self,
        subjects: Iterable[tuple[Any, Hashable]],
        *,
        table: AnyTable | None = None,
        want: Want = ONE,
        seed: int = 0,
        now: float = 0.0,
        explained: bool = False,
    ) -> list[Outcome]:
        """One decision after the other, each on what the former ones would leave; the table itself is not touched.

        What a pick would leave is what its profile's resolver says (`Resolution.writes`).
        """
        candidates = self.table if table is None else table
        trial = None if candidates is None else candidates.fork()
        outcomes = []
        for place, (subject, ask) in enumerate(subjects):
            outcome = self.schedule(
                subject, ask, table=trial, want=want, seed=seed + place, now=now, explained=explained
            )
            for pick in outcome.picked:
                if trial is not None and pick.resolution is not None:
                    for row, values in pick.resolution.writes.items():
                        trial.write(row, values)
            outcomes.append(outcome)
        return outcomes

    def evaluator(self, profile: str, table: AnyTable | None = None) -> AnyEvaluator:
        """The profile bound to a table: for whoever asks about hypothetical rows."""
        candidates = self.table if table is None else table
        if candidates is None:
            raise InputError("no table to look at", place=f"profile {profile}", next="pass one to schedule()")
        evaluator: AnyEvaluator | None
        if type(candidates) is Fork:
            evaluator = self._forked.get(profile)
            if evaluator is None or evaluator.table is not candidates:
                base = self.evaluator(profile, candidates.base)
                evaluator = ForkEvaluator(base, candidates)  # type: ignore[arg-type]
                self._forked[profile] = evaluator
            return evaluator
        evaluator = self._evaluators.get(profile)
        if evaluator is None or evaluator.table is not candidates:
            evaluator = self._evaluators[profile] = self._bind(self.profiles[profile], candidates, evaluator)
        return evaluator

    def explain(self, profile: str, ask: Hashable, *, table: AnyTable | None = None, seed: int = 0) -> Explanation:
        """Every candidate under one profile, outside any cycle."""
        evaluator = self.evaluator(profile, table)
        return explain(evaluator.binding, evaluator.table, ask, Cycle(None, ask, seed=seed), tally=self._tally)

    def _bind(self, profile: Profile, table: AnyTable, former: AnyEvaluator | None) -> AnyEvaluator:
        same = former is not None and former.binding.schema == table.schema
        binding = former.binding if former is not None and same else self._binding(profile, table)
        if isinstance(table, ListTable):
            return ListEvaluator(binding, table, tally=self._tally)
        assert not isinstance(table, Fork)
        return Evaluator(binding, table, budget_bytes=self._budget_bytes, tally=self._tally)

    def _binding(self, profile: Profile, table: AnyTable) -> Binding:
        return bind(profile, table.schema, observed(self.observers) if self.observers else None)

    def _run(
        self, run: Run, name: str, cycle: Cycle, table: AnyTable | None, want: Want, *, explained: bool
    ) -> RunResult:
        profile = self.profiles.get(run.profile)
        if profile is None:
            raise HandlerError(
                self.handler.name, f"runs profile {run.profile!r}", next=f"there are: {', '.join(self.profiles)}"
            )
        ask = cycle.ask if run.ask is None else run.ask
        source = run.candidates or profile.candidates
        if source is not None:
            table = self._candidates(source, ask, table, cycle)
        evaluator = self.evaluator(run.profile, table)
        self._tally.skipped = {}
        totals = evaluator.totals(ask, cycle)
        result = RunResult(name, evaluator.binding, ask, evaluator.table.version)
        self._pick(result, evaluator, totals, run.want or want, cycle)
        if explained or not result.picked:
            result.explanation = explain(
                evaluator.binding, evaluator.table, ask, cycle, tally=self._tally, scored=explained
            )
        if self._tally.skipped or self._tally.clamped:
            self._report(result)
        return result

    def _pick(self, result: RunResult, evaluator: AnyEvaluator, totals: Totals, want: Want, cycle: Cycle) -> None:
        best = totals.best()
        if best < 0:
            return
        table, profile = evaluator.table, evaluator.binding.profile
        if want is not ONE:
            narrowed = self._enough(totals, table, want)
            if narrowed is None:
                result.status = "too-few"
                return
            totals = narrowed
        picker = profile.picker
        rows = picker.pick(totals, want, cycle)
        if not len(rows):
            raise PickerError(picker.name, "picked no row though some are left")
        if len(rows) > 1 and (len(set(rows)) != len(rows) or len(rows) > want.desired):
            raise PickerError(
                picker.name, f"picked rows {list(rows)} where at most {want.desired} are wanted, each once"
            )
        if len(rows) < want.minimum:
            raise PickerError(picker.name, f"picked {len(rows)} rows where at least {want.minimum} are wanted")
        result.picked = tuple([self._picked(row, result, evaluator, totals) for row in rows])
        result.status = "picked"
        if profile.resolver is not None:
            for pick in result.picked:
                pick.resolution = profile.resolver.resolve(result.ask, table, pick.row, cycle)
                if type(pick.resolution) is not Resolution:
                    raise PluginError(profile.resolver.name, f"resolved row {pick.row} to no Resolution")

    def _picked(self, row: int, result: RunResult, evaluator: AnyEvaluator, totals: Totals) -> Pick:
        if not totals.accepts(row):
            kind = "a refused row" if 0 <= row < evaluator.table.size else "a row that is not there"
            raise PickerError(result.binding.profile.picker.name, f"picked {kind}: {row}")
        table = evaluator.table
        inputs, late = _kept_for_record(evaluator, totals, row)
        return Pick(row, table.keys[row], totals.total(row), result, inputs, table.shared, late)

    def _enough(self, totals: Totals, table: AnyTable, want: Want) -> Totals | None:
        if want.group is not None:
            if want.group not in table.columns:
                raise InputError(f"there is no column {want.group!r} to group by", place="want.group")
            return one_group(totals, table.columns[want.group], want)
        return totals if want.minimum == 1 or len(totals.survivors()) >= want.minimum else None

    def _candidates(self, name: str, ask: Hashable, table: AnyTable | None, cycle: Cycle) -> AnyTable:
        source = self.sources.get(name)
        if source is None:
            raise HandlerError(
                self.handler.name, f"wants candidates from {name!r}", next=f"there are: {', '.join(self.sources)}"
            )
        return source.candidates(ask, table, cycle)  # type: ignore[arg-type]

    def _report(self, result: RunResult) -> None:
        result.skipped = self._tally.skipped
        for observer in self.observers:
            for plugin, count in self._tally.clamped.items():
                observer.clamped(plugin, count)
            for plugin, problem in self._tally.skipped.items():
                observer.skipped(plugin, problem)
        self._tally.clamped.clear()


def _kept_for_record(evaluator: AnyEvaluator, totals: Totals, row: int) -> tuple[Any, dict[str, float]]:
    """What a record needs of the picked row, while it still is what it was."""
    if isinstance(evaluator, ListEvaluator):
        place = totals.rows.index(row)  # type: ignore[union-attr]
        uses = evaluator.binding.scorers
        return None, {use.name: terms[place] for use, terms in zip(uses, evaluator.contributions, strict=True)}
    late = {}
    for uses, rows, scores in evaluator.late_scores:
        place = row if rows is None else int(rows.searchsorted(row))
        for use, score in zip(uses, scores, strict=True):
            late[use.name] = score.item(place)
    return evaluator.inputs(row), late

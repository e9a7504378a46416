"""The one path to every decision: profiles run as a handler says, over whatever table is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import BayplanError, HandlerError, InputError, PluginError
from bayplan.framework.evaluation.binding import Binding, bind
from bayplan.framework.evaluation.classes import KeptBytes
from bayplan.framework.evaluation.evaluator import Evaluator
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.evaluation.fork_evaluator import ForkEvaluator
from bayplan.framework.evaluation.list_evaluator import ListEvaluator, ListProgram
from bayplan.framework.evaluation.observing import observed
from bayplan.framework.evaluation.picking import guarded, pick, raised
from bayplan.framework.evaluation.preparation import Preparation
from bayplan.framework.evaluation.prepared_evaluator import PreparedEvaluator
from bayplan.framework.evaluation.stages import Tally
from bayplan.framework.fork import Fork
from bayplan.framework.list_table import ListTable
from bayplan.framework.outcome import Decision, Outcome, RunResult
from bayplan.framework.plugins import ONE, Run
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from bayplan.framework.evaluation.binding import Bound
    from bayplan.framework.evaluation.explanation import Explanation
    from bayplan.framework.evaluation.picking import ActiveEvaluator
    from bayplan.framework.plugins import CandidateSource, Compiler, Observer, ProfileHandler, Want
    from bayplan.framework.profile import Profile
    from bayplan.framework.schema import Schema
    from bayplan.framework.table import AnyTable

    AnyEvaluator = ActiveEvaluator | PreparedEvaluator

MOST_RUNS = 1000  # a handler that wants more does not come to an end; real ones run some ten
MOST_PROGRAMS = (
    64  # far more than profiles times the shapes of tables; a caller whose columns vary must not fill memory
)
DEFAULT_BUDGET_BYTES = 256 * 1024 * 1024  # about 2,000 classes at 5,000 rows, 200 at 50,000
_SEQUENCES = (tuple, list)  # an iterator could be read only once, and text is a sequence too
_STREAM = 2 << 32  # of chance, for the handler: explaining a run in between must not change what it draws


class Scheduler:
    """Decides; it neither writes nor waits. Snapshot in, decision with reasons out, commit elsewhere.

    Exactly one handler, any number of profiles. Not for several threads at once: one thread owns a table, the
    scheduler and all writes.
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
        budget_bytes: int | KeptBytes = DEFAULT_BUDGET_BYTES,
        compiler: Compiler | None = None,
    ) -> None:
        """`compiler`: for processes that live long; it compiles the loops of profiles whose row plugins have twins."""
        self.profiles: Mapping[str, Profile] = _by_name("profile", profiles)
        self.handler = handler
        self.table = table
        self.sources = _by_name("candidate source", sources)
        self.observers = tuple(observers)
        self._budget = KeptBytes(budget_bytes) if isinstance(budget_bytes, int) else budget_bytes
        self._tally = Tally(lenient=skip_broken)
        self._compiler = compiler
        self._evaluators: dict[tuple[str, str | None], AnyEvaluator] = {}
        self._programs: dict[tuple[str, Schema], ListProgram] = {}
        self._forked: dict[str, ForkEvaluator | PreparedEvaluator] = {}
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
        reasons: bool = True,
    ) -> Outcome:
        """One decision.

        Without an `ask`, the subject is its own; with `explained`, every candidate is accounted for; without `reasons`
        none is, not even where nothing fits.
        """
        if ask is None:
            ask = subject
        candidates = self.table if table is None else table
        cycle = Cycle(subject, ask, seed=seed, now=now)
        results: dict[str, RunResult] = {}
        handler = self.handler
        answer: Decision | None = None
        while answer is None and (runs := self._next_runs(cycle, results)):
            fresh: dict[str, RunResult] = {}
            for run in runs:
                if type(run) is not Run:
                    raise HandlerError(handler.name, f"returned {runs!r} where a sequence of Runs was asked for")
                name = run.name or run.profile
                if name in results or name in fresh:
                    raise HandlerError(handler.name, f"runs {name!r} twice", next="give the second run another name")
                # the run's number in the cycle: `_account` draws with the same one
                cycle.enter(len(results) + len(fresh))
                result = fresh[name] = self._run(run, name, cycle, candidates, want, explained=explained)
                if answer is None and result.status == "picked":
                    answer = run.answer
            results = {**results, **fresh} if results else fresh
            cycle.results = results
        if not results:
            raise HandlerError(handler.name, "runs no profile", next=f"there are: {', '.join(self.profiles)}")
        decision = self._decide(cycle, results) if answer is None else self._known(answer, results)
        outcome = Outcome(subject, seed, now, results, decision)
        if reasons and not outcome.ok:
            self._account(cycle, results)
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
                # A seed of its own, else all subjects would draw the same.
                subject,
                ask,
                table=trial,
                want=want,
                seed=seed + place,
                now=now,
                explained=explained,
            )
            for each in outcome.picked:
                if trial is not None and each.resolution is not None:
                    for row, values in each.resolution.writes.items():
                        trial.write(row, values)
            outcomes.append(outcome)
        return outcomes

    def evaluator(self, profile: str, table: AnyTable | None = None, *, source: str | None = None) -> AnyEvaluator:
        """The profile bound to a table: to ask about hypothetical rows.

        What it keeps lives until the profile is bound to another table of the same `source`.
        """
        if profile not in self.profiles:
            raise InputError(
                "is no profile here", place=f"profile {profile}", next=f"there are: {', '.join(self.profiles)}"
            )
        candidates = self.table if table is None else table
        if candidates is None:
            raise InputError("no table to look at", place=f"profile {profile}", next="pass one to schedule()")
        evaluator: AnyEvaluator | None
        if type(candidates) is Fork:
            evaluator = self._forked.get(profile)
            if evaluator is None or evaluator.table is not candidates:  # one fork per profile is kept: the newest
                base = self.evaluator(profile, candidates.base, source=source)
                evaluator = self._forked[profile] = self._on_fork(base, candidates)
            return evaluator
        evaluator = self._evaluators.get((profile, source))
        if evaluator is None or evaluator.table is not candidates:
            evaluator = self._bind(self.profiles[profile], candidates, evaluator)
            self._evaluators[profile, source] = evaluator
        return evaluator

    def explain(
        self, profile: str, ask: Hashable, *, table: AnyTable | None = None, seed: int = 0, now: float = 0.0
    ) -> Explanation:
        """Every candidate under one profile, outside any cycle."""
        evaluator = self.evaluator(profile, table)
        cycle, tally = Cycle(None, ask, seed=seed, now=now), Tally(lenient=self._tally.lenient)
        return explain(evaluator.binding, evaluator.table, ask, cycle, tally=tally)

    def _next_runs(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Sequence[Run]:
        handler = self.handler
        if len(results) > MOST_RUNS:
            raise HandlerError(handler.name, f"does not come to an end: {len(results)} runs in one cycle")
        cycle.draw_from(_STREAM, len(results))
        try:
            runs = handler.pick_profiles(cycle, self.profiles, results)
        except BayplanError:
            raise
        except Exception as problem:
            raise raised(HandlerError, handler.name, problem) from problem
        if not isinstance(runs, _SEQUENCES):
            raise HandlerError(handler.name, f"returned {runs!r} where a sequence of Runs was asked for")
        return runs

    def _decide(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        handler = self.handler
        cycle.draw_from(_STREAM, len(results))
        try:
            decision = handler.process_results(cycle, results)
        except BayplanError:
            raise
        except Exception as problem:
            raise raised(HandlerError, handler.name, problem) from problem
        return self._known(decision, results)

    def _known(self, decision: Decision, results: Mapping[str, RunResult]) -> Decision:
        """The decision, once it is clear that it speaks of a run that took place."""
        # `primary` None says that no run decided.
        if type(decision) is not Decision or (decision.primary is not None and decision.primary not in results):
            raise HandlerError(self.handler.name, f"decides for a run that was not there: {decision!r}")
        return decision

    def _account(self, cycle: Cycle, results: Mapping[str, RunResult]) -> None:
        """A cycle that ends with nothing says why, run by run; one that ends well does not pay for it."""
        self._tally.skipped = {}
        for number, result in enumerate(results.values()):
            if not result.ok and result.explanation is None:
                cycle.enter(number)
                cycle.results = result.before  # as the run saw it: explaining must answer what deciding answered
                result.explanation = explain(
                    result.binding, result.table, result.ask, cycle, tally=self._tally, scored=False, want=result.want
                )
        cycle.results = results

    def _bind(self, profile: Profile, table: AnyTable, former: AnyEvaluator | None) -> AnyEvaluator:
        if isinstance(table, ListTable):
            return ListEvaluator(self._program(profile, table), table, tally=self._tally)
        # a binding depends on the names of columns only
        same = former is not None and former.binding.schema == table.schema
        binding = former.binding if former is not None and same else self._binding(profile, table)

        def part(skips: tuple[Bound, ...]) -> Evaluator:
            return Evaluator(
                binding.without(skips), table, budget=self._budget, tally=self._tally, compiler=self._compiler
            )

        return PreparedEvaluator(binding, table, part, tally=self._tally) if Preparation(binding) else part(())

    def _on_fork(self, base: Any, fork: Fork) -> ForkEvaluator | PreparedEvaluator:
        if not isinstance(base, PreparedEvaluator):
            return ForkEvaluator(base, fork)
        return PreparedEvaluator(
            base.binding, fork, lambda skips: ForkEvaluator(base.part(skips), fork), tally=self._tally
        )

    def _program(self, profile: Profile, table: ListTable) -> ListProgram:
        """The profile's program for tables of this schema: a table that is new with each request binds nothing."""
        programs = self._programs
        program = programs.get((profile.name, table.schema))
        if program is None:
            if len(programs) >= MOST_PROGRAMS:
                del programs[next(iter(programs))]  # the oldest: a dict keeps the order of insertion
            program = programs[profile.name, table.schema] = ListProgram(self._binding(profile, table))
        return program

    def _binding(self, profile: Profile, table: AnyTable) -> Binding:
        return bind(profile, table.schema, observed(self.observers))

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
        if type(table) is Fork:
            table = table.unless_written()  # answers about the table itself are kept from decision to decision
        evaluator = self._evaluators.get((run.profile, source))
        if evaluator is None or evaluator.table is not table:
            evaluator = self.evaluator(run.profile, table, source=source)
        tally = self._tally
        tally.skipped, tally.unprepared, tally.clamped = (
            {},
            {},
            {},
        )  # what judging hypothetical rows left is not of this run
        evaluator = evaluator.active(ask, cycle)
        totals = evaluator.totals(ask, cycle)
        want = run.want or want
        result = RunResult(name, evaluator.binding, ask, evaluator.table, cycle.results, source, want)
        pick(result, evaluator, totals, want, cycle)
        if explained:
            result.explanation = explain(evaluator.binding, evaluator.table, ask, cycle, tally=self._tally, want=want)
        if tally.skipped or tally.clamped or tally.known_clamped or tally.unprepared:
            self._report(result)
        return result

    def _candidates(self, name: str, ask: Hashable, table: AnyTable | None, cycle: Cycle) -> AnyTable:
        source = self.sources.get(name)
        if source is None:
            raise HandlerError(
                self.handler.name, f"wants candidates from {name!r}", next=f"there are: {', '.join(self.sources)}"
            )
        made = guarded(PluginError, name, source.candidates, ask, table, cycle)
        if not isinstance(made, Table | Fork | ListTable):
            raise PluginError(name, f"made a {type(made).__name__} where a table was asked for")
        return made

    def _report(self, result: RunResult) -> None:
        skipped, clamped = self._tally.skipped, self._tally.clamped
        left_out = {**self._tally.unprepared, **skipped}
        result.skipped = {use.name: problem for use, problem in left_out.items()}
        result.clamped = {**self._tally.known_clamped, **clamped}
        self._tally.skipped, self._tally.clamped, self._tally.unprepared = {}, {}, {}
        self._tally.known_clamped = {}
        for observer in self.observers:
            for plugin, count in clamped.items():
                observer.clamped(plugin, count)
            for plugin, problem in result.skipped.items():
                observer.skipped(plugin, problem)


def _by_name(kind: str, named: Iterable[Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for each in named:
        if known.setdefault(each.name, each) is not each:  # the same object twice is harmless
            raise InputError(f"two of them are called {each.name!r}", place=kind, next="rename one")
    return known

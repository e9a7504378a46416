"""Plans models on a ledger: reads, never writes; booking a plan is a step of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.serving.asks.ask import Ask
from bayplan.serving.asks.subject import Subject
from bayplan.serving.handlers.two_passes import ALL
from bayplan.serving.planning.growth import Shortage
from bayplan.serving.planning.holdings import Holdings
from bayplan.serving.planning.model_plan import ModelPlan, Verdict
from bayplan.serving.planning.refusals import Refusals
from bayplan.serving.planning.removals import removals_of

if TYPE_CHECKING:
    from bayplan.framework.outcome import Outcome
    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.books.model_replica import ModelReplica, Place
    from bayplan.serving.books.replica_table import ReplicaTable
    from bayplan.serving.decision.decider import Decider
    from bayplan.serving.planning.model_plan import Growth, Removal
    from bayplan.serving.served_model import ServedModel

_MOST_QUESTIONS = 10_000
"""Answers about the empty cluster that are remembered: far more than kinds of models, and no limit on their names."""


class Planner:
    """One ledger and one configuration. A plan is about the ledger as it is when it is made."""

    def __init__(self, ledger: Ledger, decider: Decider, *, seed: int = 0, now: float = 0.0) -> None:
        self.ledger = ledger
        self.decider = decider
        self._seed = seed
        self._now = now
        self._on_empty: dict[tuple[Ask, int, int], bool] = {}
        self._empty_table: ReplicaTable | None = None

    def plan(self, model: ServedModel, version: int | None = None, *, reasons: bool = True) -> ModelPlan:
        """What becomes of the model; without `reasons` nobody is told what stands in its way, nor what should grow."""
        ledger = self.ledger
        holdings = Holdings.of(model, ledger, version)
        if not model.desired:
            every = removals_of(model, holdings, ledger, None, ())
            return ModelPlan(model, holdings, Verdict.FITS, None, (), (), every, ledger.version)
        subject = self._subject(model, holdings)
        outcome = self._decide(subject, model, ledger.table)
        if not outcome.ok:
            return self._refused(model, holdings, subject, reasons=reasons)
        places = tuple([ledger.table.places[pick.row] for pick in outcome.picked])
        server, added = places[0][0], places
        gone: tuple[Removal, ...] = ()
        if holdings.own or holdings.older:
            kept = {each.place for each in holdings.own if each.here}
            added = tuple([place for place in places if place not in kept])
            gone = removals_of(model, holdings, ledger, server, places)
        if outcome.decision.primary == ALL:
            return ModelPlan(model, holdings, Verdict.FITS, server, places, added, gone, ledger.version)
        refusals, growth = self._shortage(model, holdings, server) if reasons else (None, None)
        return ModelPlan(model, holdings, Verdict.PARTLY, server, places, added, gone, ledger.version, refusals, growth)

    def book(self, plan: ModelPlan) -> list[ModelReplica]:
        """Book what the plan adds, in `load-requested`; removals still hold.

        ConflictError where the model or its server has changed since the plan was made.
        """
        self.ledger.check(plan.model.key, plan.server if plan.added else None, plan.revision)
        return [self.ledger.add(_booking(plan, place)) for place in plan.added]

    def refusals(self, model: ServedModel, holdings: Holdings) -> Refusals:
        """Every code on every server and replica, also where the model fits."""
        told = self._refusals(self._subject(model, holdings), model, self.ledger.table)
        told.add_shortages(model.desired, self._refusals(self._bare(model, holdings), model, self.ledger.emptied))
        return told

    def _refused(self, model: ServedModel, holdings: Holdings, subject: Subject, *, reasons: bool) -> ModelPlan:
        """Nothing changes: the model keeps what it has."""
        verdict = Verdict.WAITING if self._fits_empty(subject, model) else Verdict.INFEASIBLE
        places = tuple(dict.fromkeys(each.place for each in holdings.here))
        server = places[0][0] if places else None
        refusals, growth = self._shortage(model, holdings, None) if reasons else (None, None)
        return ModelPlan(model, holdings, verdict, server, places, (), (), self.ledger.version, refusals, growth)

    def _shortage(self, model: ServedModel, holdings: Holdings, server: str | None) -> tuple[Refusals, Growth | None]:
        refusals = self.refusals(model, holdings)
        return refusals, Shortage(model, holdings, refusals, server).growth(self.ledger)

    def _refusals(self, subject: Subject, model: ServedModel, table: ReplicaTable) -> Refusals:
        outcome = self._decide(subject, model, table, explained=True)
        explanation = outcome.results[ALL].explanation
        assert explanation is not None  # noqa: S101 (asked for in the line above)
        return Refusals.of(explanation, table, self.decider.server_filters)

    def _decide(self, subject: Subject, model: ServedModel, table: ReplicaTable, *, explained: bool = False) -> Outcome:
        return self.decider.decide(subject, model.minimum, table, explained=explained, seed=self._seed, now=self._now)

    def _fits_empty(self, subject: Subject, model: ServedModel) -> bool:
        """Whether the same question without any booking finds a server; equal questions are asked once."""
        table = self.ledger.emptied
        if self._empty_table is not table or len(self._on_empty) > _MOST_QUESTIONS:
            self._empty_table = table
            self._on_empty.clear()
        question = (subject.ask, model.desired, model.minimum)
        known = self._on_empty.get(question)
        if known is None:
            bare = Subject(model.key, subject.ask, model.desired)
            known = self._on_empty[question] = self._decide(bare, model, table).ok
        return known

    def _bare(self, model: ServedModel, holdings: Holdings) -> Subject:
        return Subject(model.key, _ask(model, holdings), model.desired)

    def _subject(self, model: ServedModel, holdings: Holdings) -> Subject:
        """The model with what it has on the rows of the table."""
        subject = self._bare(model, holdings)
        rows, numbers = self.ledger.table.rows, self.ledger.table.numbers
        if holdings.own:
            subject.kept = {rows[each.place]: each.state for each in reversed(holdings.own) if each.here}
            subject.failed = {rows[each.place] for each in holdings.own if each.state is LoadState.LOAD_FAILED}
            subject.leaving = {rows[each.place] for each in holdings.own if each.leaving}
        if holdings.own or holdings.older:
            current = holdings.current_server
            subject.current = None if current is None else numbers[current]
        if model.dedicated or self.ledger.any_dedicated:
            subject.closed = self._closed(model)
        return subject

    def _closed(self, model: ServedModel) -> set[int]:
        """The servers that the model would share with another, although one of the two is dedicated."""
        ledger, numbers = self.ledger, self.ledger.table.numbers
        return {
            numbers[name]
            for name, book in ledger.servers.items()
            if any(key != model.key and (model.dedicated or ledger.is_dedicated(key)) for key in book.holders)
        }


def _ask(model: ServedModel, holdings: Holdings) -> Ask:
    return Ask(holdings.need_mib, model.requirements, model.explainer, model.server, model.dedicated, model.preloaded)


def _booking(plan: ModelPlan, place: Place) -> ServingBooking:
    model, holdings = plan.model, plan.holdings
    return ServingBooking(
        model.key.name,
        *place,
        holdings.version,
        holdings.need_mib,
        LoadState.LOAD_REQUESTED,
        holdings.instances,
        model.dedicated,
        model.key.namespace,
    )

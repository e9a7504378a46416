"""How many replicas a server should have: for models that are short of room, and fewer where replicas are empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.serving.autoscaling.advice import Advice, hold
from bayplan.serving.autoscaling.packing import smallest_packing
from bayplan.serving.planning.growth import Shortage
from bayplan.serving.planning.model_plan import RemovalReason, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.server_book import ReplicaBook, ServerBook
    from bayplan.serving.planning.model_plan import ModelPlan, Removal
    from bayplan.serving.planning.planner import Planner

GONE = frozenset({RemovalReason.SURPLUS, RemovalReason.DELETED})
"""Removals that are carried out before servers are looked at."""


@dataclass(slots=True)
class PlannedModels:
    """The models of a call, planned and booked one after the other: what they ask of servers.

    `plans` by model; `grows` by server the most replicas that a model asks for, `asked` the servers that one asks.
    """

    planner: Planner
    plans: dict[WorkloadKey, ModelPlan] = field(default_factory=dict)
    grows: dict[str, int] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    _removals: list[Removal] = field(default_factory=list)

    def add(self, plan: ModelPlan) -> None:
        """Take a plan up and book it."""
        self.plans[plan.model.key] = plan
        if plan.growth is not None:
            name, replicas = plan.growth
            self.grows[name] = max(self.grows.get(name, 0), replicas)
        if plan.verdict is not Verdict.FITS and plan.refusals is not None:
            server = None if plan.refused else plan.server
            shortage = Shortage(plan.model, plan.holdings, plan.refusals, server)
            self.asked.update(book.server.name for book in shortage.asked(self.planner.ledger))
        self.planner.book(plan)
        self._removals += [each for each in plan.removals if each.reason in GONE]

    def carry_out_removals(self) -> None:
        """What is surplus, or of deleted models, is gone."""
        for model in dict.fromkeys(removal.model for removal in self._removals):  # a model may be in a call twice
            self.planner.ledger.remove(model)
        self._removals.clear()


def server_advice(book: ServerBook, models: PlannedModels, *, packing: bool) -> Advice:
    """The advice for one server, after the removals were carried out."""
    expected, low, high = book.expected, book.server.min_replicas, book.server.max_replicas
    if book.deleted:
        return hold(expected, "server-deleted")
    if low is None or high is None:
        return hold(expected, "not-enabled")
    if not low <= expected <= high:
        return Advice(expected, low if expected < low else high, "bounds")
    if book.server.name in models.grows:
        return Advice(expected, models.grows[book.server.name], "models-short")
    return _fewer(book, models, low, packing=packing)


def _fewer(book: ServerBook, models: PlannedModels, low: int, *, packing: bool) -> Advice:
    expected = book.expected
    target = max(1, low, expected - _empty(book.staying.values()))
    reason = "empty-replicas"
    if packing and expected > 1:
        packed = smallest_packing(book, models.plans, max(1, low), target)
        if packed is not None:
            target, reason = packed, "packing"
    if target >= expected:
        return hold(expected, "steady")
    if len(book.replicas) < expected or book.server.name in models.asked:
        return hold(expected, "settling")
    return Advice(expected, target, reason)


def _empty(replicas: Iterable[ReplicaBook]) -> int:
    return sum(each.empty for each in replicas)

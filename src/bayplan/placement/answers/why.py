"""Why a workload can or cannot go to each worker: every check, every score, over all tiers that it allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.placement.answers.unknowns import unknowns
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.cards.holders import holders_by_worker, unusable_by_worker
from bayplan.placement.decision.rejection_summary import facts_of, keep_nearest
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.gang_planner import GangPlanner
from bayplan.placement.gangs.trial import NO_LIMITS, Limits, Trial
from bayplan.placement.planning.plan import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.framework.evaluation.explanation import Explanation, Term
    from bayplan.framework.reasons import Rejection
    from bayplan.placement.answers.unknowns import Unknown
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.asks.tier import Tier
    from bayplan.placement.cards.holders import Holder, UnusableCard
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.decision.rejection_summary import Said
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.planner import Planner


@dataclass(slots=True)
class WorkerAnswer:
    """One worker: feasible if it passes every filter in at least one tier; else every code once, or once a fact."""

    worker: str
    tier: Tier | None = None
    total: float | None = None
    terms: tuple[Term, ...] = ()
    rejections: dict[Said, Rejection] = field(default_factory=dict)
    held_by: tuple[Holder, ...] = ()
    """Where bookings cause a rejection, who holds the worker."""
    unusable: tuple[UnusableCard, ...] = ()
    """Where cards are short, the cards that cannot be given whole, and why."""

    @property
    def codes(self) -> set[str]:
        return {code for code, _ in self.rejections}

    @property
    def feasible(self) -> bool:
        return self.tier is not None


@dataclass(frozen=True, slots=True)
class Gang:
    """How many of the missing members could be placed now, ignoring the minimum, and which could not.

    `proven`: no arrangement places more.
    """

    desired: int
    minimum: int
    placeable: int
    blocking: tuple[str, ...] = ()
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Why:
    """The answer for one workload, about its next replica."""

    sized: SizedWorkload
    planner: Planner
    plan: Plan
    workers: tuple[WorkerAnswer, ...]
    gang: Gang

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """The facts without which an infeasible workload cannot be judged."""
        facts = {each.worker: facts_of(each.rejections.values()) for each in self.workers if not each.feasible}
        return unknowns(self.verdict, facts)

    @property
    def verdict(self) -> Verdict:
        return self.plan.verdict


def explain(planner: Planner, sized: SizedWorkload) -> Why:
    """Ask every filter about every worker, also after a first refusal."""
    plan = planner.plan(sized, reasons=False)
    limits = _limits(planner, sized, plan)
    answers = {worker.name: WorkerAnswer(worker.name) for worker in planner.state.snapshot.workers}
    for role in sized.roles:
        _ask_member(planner, sized, role, answers, limits)
    _tell_holders(planner, answers)
    return Why(sized, planner, plan, tuple(answers.values()), _gang(planner, sized, plan))


def _gang(planner: Planner, sized: SizedWorkload, plan: Plan) -> Gang:
    """What fits now without victims, the minimum left aside."""
    if not plan.victims and (plan.minimum <= 1 or plan.verdict is Verdict.FITS):
        return Gang(plan.desired, plan.minimum, plan.desired - len(plan.blocked), plan.blocked, plan.proven)
    held = _held(planner, sized)
    most = GangPlanner(planner.state, sized, held, plan.desired, 1, reasons=False).arrange()
    return Gang(plan.desired, plan.minimum, len(most.placed), tuple(most.trial.blocked), most.exact)


CARD_CODES = frozenset(
    {
        "gpu-count-short", "gpu-memory-short", "gpu-compute-short", "mig-unavailable", "locality", "bandwidth-short",
        "numa-misaligned",
    }
)  # fmt: skip
"""Rejections that are about cards."""


def _tell_holders(planner: Planner, answers: Mapping[str, WorkerAnswer]) -> None:
    booked = [name for name, each in answers.items() if any(one.curable for one in each.rejections.values())]
    short = [name for name, each in answers.items() if not CARD_CODES.isdisjoint(each.codes)]
    for name, holders in holders_by_worker(planner.state.snapshot, planner.state.bookings, booked).items():
        answers[name].held_by = holders
    for name, cards in unusable_by_worker(planner.state.snapshot, planner.state.table, short).items():
        answers[name].unusable = cards


def _limits(planner: Planner, sized: SizedWorkload, plan: Plan) -> Limits:
    """The domains in which a gang that keeps to one could stand, with the room of all others."""
    gang = sized.workload.gang
    if gang is None or gang.within is None or not plan.desired:
        return NO_LIMITS
    arranging = GangPlanner(planner.state, sized, _held(planner, sized), plan.desired, plan.minimum, reasons=False)
    return Limits(within=arranging.domains(gang.within))


def _held(planner: Planner, sized: SizedWorkload) -> list[Booking]:
    return list(planner.state.ledger.held_by_workload(sized.workload.key))


def _ask_member(
    planner: Planner, sized: SizedWorkload, role: SizedRole, answers: dict[str, WorkerAnswer], limits: Limits
) -> None:
    held = _held(planner, sized)
    trial = Trial(planner.state, sized, held, 1, limits=limits)
    numbers = {booking.replica for booking in held}
    number = next(each for each in range(len(numbers) + 1) if each not in numbers)
    copies = max(1, sized.workload.desired - len(numbers))
    asks = ask_tiers(role, planner.state.snapshot, copies).asks
    plain = [ask for ask in asks if not ask.overcommit]
    _ask_tiers(trial, role, number, plain, answers)
    if not any(answer.feasible for answer in answers.values()):
        _ask_tiers(trial, role, number, [ask for ask in asks if ask.overcommit], answers)


def _ask_tiers(
    trial: Trial, role: SizedRole, number: int, asks: Sequence[Ask], answers: dict[str, WorkerAnswer]
) -> None:
    shape = role.shape
    for ask in asks:
        outcome = trial.strategies.place(
            trial.subject(number, asks), shape.strategy, (ask,),
            table=trial.table, tuning=tuning_of(shape), seed=trial.state.seed(number),
            now=trial.state.now, explained=True,
        )  # fmt: skip
        elsewhere = _answered_elsewhere(trial.state, ask, asks)
        for explanation in outcome.explained():
            _fill(explanation, ask.tier, answers, elsewhere)


def _answered_elsewhere(state: PlannedCluster, ask: Ask, asks: Sequence[Ask]) -> frozenset[str]:
    """The workers whose kind of devices another of the asks is about: only that one says what they lack."""
    others = {(each.devices.kind, each.devices.profile) for each in asks if each.devices is not None}
    if ask.devices is None or len(others) == 1:
        return frozenset()
    offers = ((worker.name, worker.device_offer) for worker in state.snapshot.workers)
    wanted, resource = (ask.devices.kind, ask.devices.profile), ask.devices.resource
    return frozenset(
        name
        for name, offer in offers
        if offer.resource == resource and (offer.kind, offer.profile) in others - {wanted}
    )


def _fill(
    explanation: Explanation, tier: Tier, answers: dict[str, WorkerAnswer], elsewhere: frozenset[str] = frozenset()
) -> None:
    for ranked in explanation.ranked():
        answer = answers[ranked.key]
        if answer.tier is None:
            answer.tier, answer.total, answer.terms = tier, ranked.total, ranked.terms
    for row, rejections in explanation.rejections().items():
        answer = answers[explanation.keys[row]]
        for rejection in () if answer.worker in elsewhere else rejections:
            keep_nearest(answer.rejections, rejection)

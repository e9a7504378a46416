"""Why a workload can or cannot go to each worker: every check, every score, over all tiers that it allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.placement.asking import ask_tiers
from bayplan.placement.gangs.arranging import Arranging
from bayplan.placement.holders import holders_by_worker, unusable_by_worker
from bayplan.placement.plans import Verdict
from bayplan.placement.refused import facts_of, keep_nearest
from bayplan.placement.search import NO_LIMITS, Limits, Search
from bayplan.placement.unknowns import unknowns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.framework.evaluation.explain import Explanation, Term
    from bayplan.framework.reasons import Rejection
    from bayplan.placement.ask import Ask
    from bayplan.placement.holders import Holder, UnusableCard
    from bayplan.placement.planner import Planner
    from bayplan.placement.plans import Member, Plan, Request
    from bayplan.placement.refused import Said
    from bayplan.placement.tier import Tier
    from bayplan.placement.unknowns import Unknown


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
    """Where cards are short, those that cannot be had whole, and why."""

    @property
    def codes(self) -> set[str]:
        return {code for code, _ in self.rejections}

    @property
    def feasible(self) -> bool:
        return self.tier is not None


@dataclass(frozen=True, slots=True)
class Gang:
    """How many of the missing members could be placed at once now, whatever the minimum, and which could not.

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

    request: Request
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


def explain(planner: Planner, request: Request) -> Why:
    """Ask every filter about every worker, also after a first refusal."""
    plan = planner.plan(request, reasons=False)
    limits = _limits(planner, request, plan)
    answers = {worker.name: WorkerAnswer(worker.name) for worker in planner.snapshot.workers}
    for member in request.members:
        _ask_member(planner, request, member, answers, limits)
    _tell_holders(planner, answers)
    return Why(request, planner, plan, tuple(answers.values()), _gang(planner, request, plan))


def _gang(planner: Planner, request: Request, plan: Plan) -> Gang:
    """What fits now without victims, the minimum left aside."""
    if not plan.victims and (plan.minimum <= 1 or plan.verdict is Verdict.FITS):
        return Gang(plan.desired, plan.minimum, plan.desired - len(plan.blocked), plan.blocked, plan.proven)
    held = _held(planner, request)
    most = Arranging(planner, request, held, plan.desired, 1, reasons=False).arrange()
    return Gang(plan.desired, plan.minimum, len(most.placed), tuple(most.search.blocked), most.exact)


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
    for name, holders in holders_by_worker(planner.snapshot, planner.bookings, booked).items():
        answers[name].held_by = holders
    for name, cards in unusable_by_worker(planner.snapshot, planner.table, short).items():
        answers[name].unusable = cards


def _limits(planner: Planner, request: Request, plan: Plan) -> Limits:
    """The domains in which a gang that keeps to one could stand, with the room of all others."""
    gang = request.workload.gang
    if gang is None or gang.within is None or not plan.desired:
        return NO_LIMITS
    arranging = Arranging(planner, request, _held(planner, request), plan.desired, plan.minimum, reasons=False)
    return Limits(within=arranging.domains(gang.within))


def _held(planner: Planner, request: Request) -> list[Booking]:
    return list(planner.index.of(request.workload.key))


def _ask_member(
    planner: Planner, request: Request, member: Member, answers: dict[str, WorkerAnswer], limits: Limits
) -> None:
    held = _held(planner, request)
    search = Search(planner, request, held, 1, limits=limits)
    numbers = {booking.replica for booking in held}
    number = next(each for each in range(len(numbers) + 1) if each not in numbers)
    copies = max(1, request.workload.desired - len(numbers))
    asks = ask_tiers(member.sized, planner.snapshot, copies).asks
    plain = [ask for ask in asks if not ask.overcommit]
    _ask_tiers(search, member, number, plain, answers)
    if not any(answer.feasible for answer in answers.values()):
        _ask_tiers(search, member, number, [ask for ask in asks if ask.overcommit], answers)


def _ask_tiers(
    search: Search, member: Member, number: int, asks: Sequence[Ask], answers: dict[str, WorkerAnswer]
) -> None:
    shape = member.sized.shape
    for ask in asks:
        outcome = search.placer.place(
            search.subject(number, asks, member), shape.strategy, (ask,),
            table=search.trial, extras=search.extras(member, asks), seed=search.planner.seed(number),
            now=search.planner.now, explained=True,
        )  # fmt: skip
        elsewhere = _answered_elsewhere(search.planner, ask, asks)
        for explanation in outcome.explained():
            _fill(explanation, ask.tier, answers, elsewhere)


def _answered_elsewhere(planner: Planner, ask: Ask, asks: Sequence[Ask]) -> frozenset[str]:
    """The workers whose kind of devices another of the asks is about: only that one says what they lack."""
    others = {(each.devices.kind, each.devices.profile) for each in asks if each.devices is not None}
    if ask.devices is None or len(others) == 1:
        return frozenset()
    offers = ((worker.name, worker.device_offer) for worker in planner.snapshot.workers)
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

"""Plans: workloads one after the other, each on what earlier ones leave free; nothing is written to the cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.identity import GangKey, ReplicaKey
from bayplan.cluster.readable import format_mib
from bayplan.placement.asks.role_counts import surplus
from bayplan.placement.cards.mig.reconfigurations import reconfigurations, told
from bayplan.placement.decision.planned_cluster import PlannedCluster
from bayplan.placement.decision.rejection_summary import Refused
from bayplan.placement.gangs.attempt import attempt, fits, gang_planner
from bayplan.placement.gangs.worker_capacity import FEW_STEPS, Steps
from bayplan.placement.planning.card_states import CardStates
from bayplan.placement.planning.engine_args.notices import notices, version_notices
from bayplan.placement.planning.plan import Plan, Verdict
from bayplan.placement.planning.removals import order_removals
from bayplan.placement.preemption.least_harm import find_victims
from bayplan.placement.preemption.many_workers import FEW_PLANS, MOST_PLANS
from bayplan.placement.preemption.missing_members import only_roles
from bayplan.placement.preemption.units import bookings_of
from bayplan.placement.preemption.victims import may_preempt_below, timid_roles, victims_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.worker import Worker
    from bayplan.framework.plugins import Compiler
    from bayplan.framework.profile import Profile
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.arrangement import Arrangement
    from bayplan.placement.gangs.gang_planner import GangPlanner
    from bayplan.placement.packing.mix import Mix
    from bayplan.placement.planning.removals import Removal


class Planner:
    """Plans on a cluster; `state` is the cluster with what was planned on it so far.

    `commit` books a plan, and further plans start from that.
    """

    def __init__(
        self, cluster: Cluster, profiles: Mapping[str, Profile], *, seed: int = 0, now: float = 0.0,
        skip_broken: bool = False, mix: Mix | None = None, compiler: Compiler | None = None,
    ) -> None:  # fmt: skip
        """`compiler`: for a planner that is kept for long; it compiles the loops over workers that changed."""
        self.state = PlannedCluster(
            cluster, profiles, seed=seed, now=now, skip_broken=skip_broken, mix=mix, compiler=compiler
        )

    @classmethod
    def on(cls, state: PlannedCluster) -> Planner:
        """A planner on a cluster that was planned on before."""
        planner = cls.__new__(cls)
        planner.state = state
        return planner

    def plan(
        self, sized: SizedWorkload, *, reasons: bool = True, preempting: bool = True, thorough: bool = True
    ) -> Plan:
        """Where the workload would go. The planner itself stays as it was until `commit`.

        Without `reasons` the same plan lacks what only people read, its options and refusals, and costs far less.
        Without `preempting` nothing is evicted, whatever the workload may do. One that is not `thorough` does not
        search long for an arrangement of members of different shapes, nor for the smallest set of victims.
        """
        steps = Steps() if thorough else Steps(FEW_STEPS)
        gang = gang_planner(self.state, sized, reasons=reasons, steps=steps)
        if gang.desired <= 0:
            return Plan(
                sized, Verdict.FITS, 0, 0, removals=self._removals(gang), warnings=sized.warnings,
                seed=self.state.seed(0), now=self.state.now, revision=self.state.ledger.revision,
            )  # fmt: skip
        plan = self._judged(gang)
        if preempting:
            plan = self._with_victims(plan, reasons=reasons, most_plans=MOST_PLANS if thorough else FEW_PLANS)
        return self._with_cards(plan) if reasons else plan

    def _judged(self, gang: GangPlanner) -> Plan:
        """The plan of the best arrangement: as many replicas as fit, none if that is fewer than the minimum."""
        found = gang.arrange()
        placed = found.placed if len(found.placed) >= gang.minimum else []
        proven: bool
        if len(placed) == gang.desired:
            verdict, proven = Verdict.FITS, True
        elif placed:
            verdict, proven = Verdict.PARTLY, found.exact
        else:
            when_empty = gang.fits_when_empty()
            verdict = Verdict.INFEASIBLE if when_empty is False else Verdict.WAITING
            proven = when_empty is False or (when_empty is True and found.exact)
        return self._plan_of(found, placed, verdict, proven=proven)

    def _plan_of(self, found: Arrangement, placed: Sequence[Replica], verdict: Verdict, *, proven: bool) -> Plan:
        trial = found.trial
        oversold = [
            f"overcommit: replica {each.index} takes {format_mib(each.placed.oversold_mib)} more than is free"
            for each in placed
            if each.placed.oversold_mib
        ]
        bookings = [booking for replica in placed for booking in replica.placed.bookings]
        there = (
            entry.booking
            for name in dict.fromkeys(booking.worker for booking in bookings)
            for entry in self.state.ledger.held_on(name)
        )
        recut = reconfigurations(bookings, there, self.state.workers)
        warnings = (*trial.warnings, *oversold, *told(recut))
        return Plan(
            trial.sized, verdict, found.desired, trial.minimum, tuple(placed), trial.options if placed else (),
            refused=trial.refused if len(placed) < found.desired else Refused(),
            warnings=tuple(dict.fromkeys(warnings)), blocked=tuple(trial.blocked), reconfigurations=recut,
            proven=proven, seed=self.state.seed(0), now=self.state.now, revision=self.state.ledger.revision,
        )  # fmt: skip

    def _removals(self, gang: GangPlanner) -> tuple[Removal, ...]:
        workload = gang.sized.workload
        order = self.state.strategies.order(workload.shape.strategy)
        return tuple(
            removal
            for bookings, number in surplus(gang.sized.roles, gang.held)
            for removal in order_removals(
                bookings, self.state.workers, order, number, self.state.bookings, workload.spread_over
            )
        )

    def _with_victims(self, plan: Plan, *, reasons: bool, most_plans: int) -> Plan:
        """The plan of a workload that does not fit whole as things are; the same one where no victim would help."""
        sized = plan.sized
        below = may_preempt_below(sized.workload)
        if below is None or plan.verdict in (Verdict.FITS, Verdict.INFEASIBLE):
            return plan
        timid = timid_roles(sized.workload)
        if timid and not fits(self.state, only_roles(self.state, sized, timid)):
            return _in_vain(plan, f"{' and '.join(timid)} may not preempt, so it needs free room")
        found = find_victims(self.state, sized, below, most_plans=most_plans)
        if not found.units:
            return _in_vain(replace(plan, proven=plan.proven and found.proven), found.reason)
        made = self.without(bookings_of(found.units)).plan(sized, reasons=reasons, preempting=False)
        return replace(
            made, victims=victims_of(found.units, below), proven=made.proven and found.proven, revision=plan.revision
        )

    def _with_cards(self, plan: Plan) -> Plan:
        """The plan with its cards as each replica finds them, and what is to be told about them."""
        warnings, found = version_notices(plan), []
        if plan.replicas and any(role.engine.divides_layers for role in plan.sized.roles):
            gone = tuple(victim.booking for victim in plan.victims)
            table = self.state.without(gone).table if gone else self.state.table
            rows = (share.row for replica in plan.replicas for share in replica.placed.shares)
            states = CardStates(self.state.snapshot, table, rows)
            for replica in plan.replicas:
                found.append(states.of(replica))
                states.count(replica)
            warnings += notices(plan, tuple(found), states)
        if not found and not warnings:
            return plan
        return replace(plan, cards_found=tuple(found), warnings=(*plan.warnings, *warnings))

    def attempt(self, sized: SizedWorkload) -> Plan | None:
        """The plan without reasons where anything is placed, else None; nothing is evicted."""
        found = attempt(self.state, sized)
        if found is None:
            return None
        verdict = Verdict.FITS if found.is_whole else Verdict.PARTLY
        return self._plan_of(found, found.placed, verdict, proven=found.is_whole or found.exact)

    def commit(self, plan: Plan) -> None:
        """Book the plan for all further plans, whole or not at all.

        ConflictError if what it changes was changed since it was made; CapacityError if anything would be held twice.
        """
        workload = plan.sized.workload
        released = [victim.booking for victim in plan.victims]
        for removal in plan.removals:
            owner = ReplicaKey(*workload.key, removal.replica)
            released += [entry.booking for entry in self.state.ledger.held_by(owner)]
        # Members that are booked without the name of the gang count for the plan, but not for the ledger.
        gangs = {GangKey(*workload.key): plan.minimum} if workload.gang else {}
        self.state.book(plan.replicas, released=released, expected=plan.revision, gangs=gangs)

    def without(self, gone: Iterable[Booking]) -> Planner:
        """A planner on the same cluster without these of its bookings."""
        return Planner.on(self.state.without(gone))

    def with_workers(self, workers: Sequence[Worker]) -> Planner:
        """A planner on the same cluster with these workers added; a worker of the same name is replaced."""
        return Planner.on(self.state.with_workers(workers))


def _in_vain(plan: Plan, reason: str) -> Plan:
    return replace(plan, warnings=(*plan.warnings, f"preemption: {reason}"))

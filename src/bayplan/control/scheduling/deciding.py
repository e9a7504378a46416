"""Decides about one workload on the live state, and reserves what was decided in its ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.workload import WorkloadId
from bayplan.control.scheduling.decision import Decision, placed_pods
from bayplan.framework.errors import InputError
from bayplan.manifests.marks import BOOKING
from bayplan.placement.answers.plan_document import plan_document
from bayplan.placement.planning.planner import Planner
from bayplan.placement.preemption.victims import may_preempt_below

if TYPE_CHECKING:
    from collections.abc import Set

    from bayplan.control.clock import Clock
    from bayplan.control.scheduling.decision import PlacedPod
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.records import Records
    from bayplan.control.scheduling.units import Unit
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.plan import Plan

_NO_ONE = WorkloadId("")


class Decider:
    """Plans on the live cluster; equal workloads that the very same cluster refused are not planned again."""

    def __init__(self, live: LiveCluster, records: Records, clock: Clock) -> None:
        self._live, self._records, self._clock = live, records, clock
        self.patience_s: float | None = None
        """Where the last plan counts on Pods that are being stopped: how long they may take at most."""
        self._refused_at = -1
        self._refused: dict[object, Plan] = {}

    def plan(self, sized: SizedWorkload) -> Plan:
        """Where the workload goes; nothing is booked yet."""
        state = self._live.state
        state.begin(self._records.next_number(), self._clock())
        self._records.notice_outlook(state)
        self.patience_s = None
        if preempts(sized):
            self._live.follow_budgets()
            self._live.pin_stuck(self._clock())
            return self._sparing(sized)
        if self._refused_at != state.ledger.revision:
            self._refused_at, self._refused = state.ledger.revision, {}
        shape = None if state.ledger.held_by_workload(sized.workload.key) else _shape_key(sized)
        if shape is not None and (known := self._refused.get(shape)) is not None:
            return known
        plan = Planner.on(state).plan(sized, preempting=False)
        if shape is not None and not plan.replicas:
            self._refused[shape] = plan
        return plan

    def forget_refusals(self) -> None:
        """Plan everything again: the configuration has changed."""
        self._refused_at = -1

    def _sparing(self, sized: SizedWorkload) -> Plan:
        """A plan that may evict, unless Pods that are being stopped already make enough room."""
        planner = Planner.on(self._live.state)
        plan = planner.plan(sized)
        if not plan.victims:
            return plan
        going = self._live.terminating(self._clock())
        if going and planner.without(going).attempt(sized) is not None:
            self.patience_s = max(going.values())
            waits = f"{len(going)} Pods that are being stopped make room for it"
            return replace(planner.plan(sized, preempting=False), warnings=(*plan.warnings, waits))
        return plan

    def reserve(self, plan: Plan, unit: Unit, since_s: float, epoch: int) -> Decision:
        """Book the plan in the ledger, for Pods of the unit; CapacityError or ConflictError where it cannot be."""
        state = self._live.state
        planner = Planner.on(state)
        document = plan_document(plan, planner, plan.seed)
        position = self._records.position
        planner.commit(plan)
        try:
            record = self._recorded(plan, document, unit, position)
            pods = placed_pods(plan, document, unit, state.ledger, record, epoch)
            self._check_names(pods)
            if sum(each.shard is None for each in pods) < len(plan.replicas):
                self._release_rest(plan, {id(each.booking) for each in pods})
        except BaseException:
            self._release_rest(plan, set())
            state.admit([each.booking for each in plan.victims])
            raise
        victims = [name for each in plan.victims if (name := self._live.pods.pod_of(each.booking)) is not None]
        self._live.assume({each.name: (each.booking, each.annotations[BOOKING]) for each in pods})
        self._live.expel(victims)
        return Decision(record, unit.key, plan, document, pods, since_s, victims)

    def record_of_refusal(self, plan: Plan, unit: Unit) -> str:
        """The record of a refusal; units that were refused like an equal one share its record."""
        known = self._records.id_of(plan)
        if self._records.has(known):
            return known
        document = plan_document(plan, Planner.on(self._live.state), plan.seed)
        return self._recorded(plan, document, unit, self._records.position)

    def _recorded(self, plan: Plan, document: dict[str, Any], unit: Unit, position: int) -> str:
        return self._records.add(plan, document, unit.key, position, self._clock(), preempting=preempts(plan.sized))

    def _check_names(self, pods: list[PlacedPod]) -> None:
        """A Pod that has the name of a shard by chance must not be taken for it."""
        for each in pods:
            if each.shard is not None and self._live.is_taken(each.name):
                place = "/".join(each.name)
                raise InputError("another Pod has the name of a part of it", place=place, next="rename that Pod")

    def _release_rest(self, plan: Plan, taken: Set[int]) -> None:
        """Give back replicas of the plan for which there is no Pod; `taken` are the ids of bookings that have one."""
        state = self._live.state
        for replica in plan.replicas:
            held = state.ledger.held_by(replica.placed.bookings[0].owner)
            if rest := [entry.booking for entry in held if id(entry.booking) not in taken]:
                state.release(rest)


def preempts(sized: SizedWorkload) -> bool:
    """Whether a workload may take the place of others."""
    return may_preempt_below(sized.workload) is not None


def _shape_key(sized: SizedWorkload) -> object:
    """Equal for workloads that differ only in who they are; None where that matters to where they may go."""
    workload = sized.workload
    if any(role.shape.anti_affinity or role.shape.near for role in sized.roles):
        return None
    return replace(workload, id=replace(_NO_ONE, priority=workload.id.priority)), sized.roles

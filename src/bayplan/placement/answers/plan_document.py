"""A plan as the JSON document that commands print and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.answers.unknowns import unknowns
from bayplan.placement.planning.engine_args.arguments import engine_args

if TYPE_CHECKING:
    from bayplan.cluster.booking import CardBooking
    from bayplan.cluster.worker import Worker
    from bayplan.placement.decision.options import Option
    from bayplan.placement.decision.placed import Replica, WorkerShare
    from bayplan.placement.planning.card_states import CardState
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.planner import Planner
    from bayplan.placement.preemption.victims import Victim

NOTE = "a feasibility answer at this revision, not a reservation"


def plan_document(plan: Plan, planner: Planner, seed: int) -> dict[str, Any]:
    """The document of one workload."""
    identity = plan.sized.workload.id
    whose = {"workload": identity.name, "namespace": identity.namespace}
    found = plan.cards_found or ((),) * len(plan.replicas)
    return {
        "kind": "Plan",
        **whose,
        "revision": planner.state.snapshot.table.version,
        "seed": seed,
        "note": NOTE,
        "verdict": str(plan.verdict),
        "desired": plan.desired,
        "minimum": plan.minimum,
        "placed": len(plan.replicas),
        "proven": plan.proven,
        "replicas": [_replica(replica, cards, planner) for replica, cards in zip(plan.replicas, found, strict=True)],
        "options": [_option(option) for option in plan.options],
        "removals": [{**whose, **removal.as_dict()} for removal in plan.removals],
        "reconfigurations": [each.as_dict() for each in plan.reconfigurations],
        "victims": [victim_document(victim, planner) for victim in plan.victims],
        "rejections": [each.as_dict() for each in plan.refused.summaries()],
        "unknowns": [each.as_dict() for each in unknowns(plan.verdict, plan.refused.unknown)],
        "warnings": list(plan.warnings),
    }


def victim_document(victim: Victim, planner: Planner) -> dict[str, Any]:
    """One booking that must go."""
    booking = victim.booking
    row = planner.state.snapshot.rows.get(booking.worker)
    worker = None if row is None else planner.state.snapshot.workers[row]
    return {
        "workload": booking.workload,
        "namespace": booking.namespace,
        "replica": booking.replica,
        "priority": booking.priority,
        "worker": booking.worker,
        "gang": booking.gang,
        "gpus": [_card(card, worker) for card in booking.cards],
        "reason": victim.reason,
    }


def _replica(replica: Replica, cards: tuple[CardState, ...], planner: Planner) -> dict[str, Any]:
    placed = replica.placed
    workers = [planner.state.snapshot.workers[part.row] for part in placed.shares]
    return {
        "index": replica.index,
        "role": replica.role.name,
        "tier": str(placed.tier),
        "score": replica.score,
        "cost_usd_per_hour": replica.usd_per_hour,
        "tp": placed.shape.tp,
        "pp": placed.shape.pp,
        "workers": [_part(part, worker) for part, worker in zip(placed.shares, workers, strict=True)],
        "engine_args": engine_args(replica.role, placed, cards),
    }


def _part(part: WorkerShare, worker: Worker) -> dict[str, Any]:
    booking = part.booking
    return {
        "worker": booking.worker,
        "ram_mib": booking.ram_mib,
        "cpu_milli": booking.cpu_milli,
        "resources": dict(booking.resources),
        "gpus": [_card(card, worker) for card in booking.cards],
        "layers": part.layers,
    }


def _card(card: CardBooking, worker: Worker | None) -> dict[str, Any]:
    gpu = None if card.card is None or worker is None else worker.gpu(card.card)
    memory_mib = card.memory_mib
    if card.whole and gpu is not None:
        memory_mib = gpu.memory_mib
    return {
        "runtime": card.runtime,
        "index": card.index,
        "uuid": gpu.uuid if gpu else None,
        "model": gpu.model if gpu else None,
        "memory_mib": memory_mib,
        "headroom_mib": card.headroom_mib,
        "compute_percent": card.compute_percent,
        "places": card.places,
        "mig": None if card.mig is None else {"profile": card.mig.profile, "start": card.mig.start},
    }


def _option(option: Option) -> dict[str, Any]:
    return {
        "chosen": option.chosen,
        "tier": str(option.tier),
        "workers": list(option.workers),
        "gpus": option.gpus,
        "score": option.score,
        "cost_usd_per_hour": option.usd_per_hour,
    }

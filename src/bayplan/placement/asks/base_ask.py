"""What all asks of a replica have in common, whatever cards they take."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.worker import uid_hash
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import Ask, CardRule, Fit, FractionOf

if TYPE_CHECKING:
    from bayplan.cluster.gpu import CardId
    from bayplan.placement.asks.role_on_cluster import RoleOnCluster


def base_ask(role: RoleOnCluster) -> Ask:
    """The ask without tier, cards and shapes."""
    shape, gpus = role.shape, role.gpus
    return Ask(
        rule=_card_rule(role),
        fit=_fit(role),
        compute_milli=(gpus.compute_milli or 0) if gpus else 0,
        cpu_milli=shape.cpu_milli,
        ram_mib=shape.ram_mib,
        resources=_resources(role),
        selected=_selected(role),
        selector=shape.selector,
        named=_named(role),
        tolerations=shape.tolerations,
        regions=shape.regions,
        max_carbon_g_per_kwh=shape.max_carbon_g_per_kwh,
        max_usd_per_hour=shape.cost.max_usd_per_hour,
        spot=shape.cost.spot,
        anti_affinity=shape.anti_affinity,
        near=shape.near,
        model_name=shape.model.name if shape.model else None,
        dry_run=shape.dry_run,
        containers=shape.containers,
        guaranteed=shape.guaranteed,
        preferred_regions=shape.preferred_regions,
        sharing=gpus.sharing if gpus else None,
        unit=gpus.unit if gpus else "",
        **_nearness(role),
    )


def _card_rule(role: RoleOnCluster) -> CardRule:
    gpus = role.gpus
    return CardRule(
        models=gpus.models if gpus else (),
        runtime=gpus.runtime if gpus else None,
        backend=role.engine.name,
        card_memory_mib=(gpus.card_memory_mib or 0) if gpus else 0,
        needs_memory=role.need is not None or (gpus is not None and gpus.memory_mib is not None),
        mixes_models=role.engine.name == "llama-cpp",
    )


def _nearness(role: RoleOnCluster) -> dict[str, Any]:
    """How near to each other the cards must be: a demand on several cards of one worker."""
    gpus = role.gpus
    if gpus is None or gpus.count == 1 or gpus.mig is not None:
        return {}
    near = gpus.locality if gpus.locality in (Locality.SAME_SOCKET, Locality.NVLINK) else None
    return {"locality": near, "min_bandwidth_gb_per_s": gpus.min_bandwidth_gb_per_s or 0.0}


def _fit(role: RoleOnCluster) -> Fit | None:
    fraction = role.engine.fraction
    if fraction is None or role.need is None:
        return None
    of = FractionOf.STATIC if role.engine.fraction_kind == "static" else FractionOf.CARD
    return Fit(Fraction(fraction), of)


def _selected(role: RoleOnCluster) -> frozenset[tuple[int, CardId]] | None:
    """The cards that the workload names, as (uid hash of the worker, card); None where it names none."""
    if not role.shape.gpu_ids:
        return None
    known = set()
    for gpu_id in role.shape.gpu_ids:
        row = role.snapshot.rows.get(gpu_id.worker)
        worker = None if row is None else role.snapshot.workers[row]
        if worker is None or worker.gpu(gpu_id.card) is None:
            role.warnings.append(f"gpuIds: {gpu_id} names no card of this cluster and is left out")
            continue
        known.add((uid_hash(worker.uid), gpu_id.card))
    return frozenset(known)


def _resources(role: RoleOnCluster) -> FrozenMap[str, int]:
    """Amounts by name; storage and huge pages of which no worker states an amount do not count, with a warning."""
    stated = role.snapshot.pools.resources
    unstated = [name for name in role.shape.resources if is_in_bytes(name) and stated.find(name) is None]
    if not unstated:
        return role.shape.resources
    for name in sorted(unstated):
        role.warnings.append(f"no worker states how much {name} it has, so {name} does not count")
    return FrozenMap({name: amount for name, amount in role.shape.resources.items() if name not in unstated})


def _named(role: RoleOnCluster) -> tuple[tuple[str, int], ...]:
    """The workers of this cluster that the selector mentions by name."""
    rows = role.snapshot.rows
    known = sorted(name for name in role.shape.selector.names if name in rows)
    return tuple((name, uid_hash(role.snapshot.workers[rows[name]].uid)) for name in known)

"""Asks for MIG instances by the name of their profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import DeviceKind, DeviceOffer
from bayplan.cluster.mig import profile_memory_mib
from bayplan.cluster.readable import MemoryPair
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape, Taking

if TYPE_CHECKING:
    from bayplan.cluster.pools import Pools
    from bayplan.cluster.workload import GpuRequest
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.role_on_cluster import RoleOnCluster


def slice_ask(role: RoleOnCluster, base: Ask, gpus: GpuRequest, profile: str) -> Ask:
    """The ask for instances of a profile; a model that needs more memory than they have is a warning only."""
    count = 1 if gpus.count is None else gpus.count
    if not count:
        return replace(base, taking=Taking.NOTHING)
    if unmet := _unmet_nearness(gpus, count):
        code, reason = unmet
        return replace(base, taking=Taking.SHARE, unknown=reason, unknown_code=code)
    _check_instances(role, profile.lower(), count)
    rule = replace(base.rule, needs_memory=False)
    return replace(
        base, taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile.lower(), rule=rule, fit=None,
        compute_milli=0, devices=_named_slices(role, gpus, profile.lower()),
    )  # fmt: skip


def _named_slices(role: RoleOnCluster, gpus: GpuRequest, profile: str) -> DeviceOffer | None:
    """What a Pod asks for that names slices, where some workers offer theirs under another name."""
    if gpus.resource is None or not any_single(role.snapshot.pools):
        return None
    return DeviceOffer(gpus.resource, DeviceKind.SLICE, profile)


def _unmet_nearness(gpus: GpuRequest, count: int) -> tuple[str, str] | None:
    """MIG instances have no links: several of them cannot be kept near each other."""
    if count == 1:
        return None
    if bandwidth := gpus.min_bandwidth_gb_per_s:
        return "bandwidth-short", f"needs {bandwidth:g} GB/s between {count} MIG instances, which have no links"
    if gpus.locality in (Locality.SAME_SOCKET, Locality.NVLINK):
        return "locality", f"{gpus.locality} cannot be kept among {count} MIG instances, which have no links"
    return None


def _check_instances(role: RoleOnCluster, profile: str, count: int) -> None:
    need_mib = None if role.need is None or role.need.unknown else role.need.card_mib(1, 1)
    instance_mib = profile_memory_mib(profile)
    if need_mib is not None and instance_mib is not None and need_mib > count * instance_mib:
        memory = MemoryPair(need_mib, count * instance_mib)
        role.warnings.append(f"gpus.mig: the model needs {memory.needed}; {count} x {profile} have {memory.free}")


def any_single(pools: Pools) -> bool:
    """Whether a worker offers slices under the plain name."""
    return any(each.kind is DeviceKind.SLICE for each in pools.device_offers)

"""Asks for devices by the name of a Kubernetes resource, which means what the workers offer under it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE, WHOLE_CARDS, DeviceKind, DeviceOffer
from bayplan.placement.asks.ask import CardShape, Taking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.pools import Pools
    from bayplan.cluster.workload import GpuRequest
    from bayplan.placement.asks.ask import Ask

_ORDER = (DeviceKind.CARD, DeviceKind.SLICE, DeviceKind.PLACE)


def device_asks(base: Ask, gpus: GpuRequest, resource: str, pools: Pools) -> Iterator[Ask]:
    """One ask for each kind of devices that workers offer under a name; where all offer whole cards, just that."""
    if gpus.count == 0:
        yield replace(base, taking=Taking.NOTHING)
        return
    whole = replace(base, taking=Taking.WHOLE, shapes=(CardShape(gpus.count or 1),))
    if _all_whole(pools) and resource == GPU_RESOURCE:
        yield whole
        return
    offers = list(_offers_of(pools, resource)) or [DeviceOffer(resource)]
    for offer in offers:
        devices = DeviceOffer(resource, offer.kind, offer.profile)
        asked = replace(whole, devices=devices, per_container=gpus.per_container)
        if offer.kind is DeviceKind.SLICE:
            asked = replace(asked, taking=Taking.SLICES, mig=offer.profile)
        elif offer.kind is DeviceKind.PLACE:
            asked = replace(asked, taking=Taking.PLACES)
        yield asked


def _offers_of(pools: Pools, resource: str) -> Iterator[DeviceOffer]:
    """What the workers offer under a name, each kind of device once: whole cards first, places last."""
    found = {(each.kind, each.profile): each for each in pools.device_offers if each.resource == resource}
    yield from sorted(found.values(), key=lambda each: (_ORDER.index(each.kind), each.profile))


def _all_whole(pools: Pools) -> bool:
    """Whether every worker offers whole cards under the usual name."""
    return all(each == WHOLE_CARDS for each in pools.device_offers)

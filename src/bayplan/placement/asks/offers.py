"""Which devices the workers of a cluster offer under the name of a Kubernetes resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import WHOLE_CARDS, DeviceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.device_offer import DeviceOffer
    from bayplan.cluster.pools import Pools

_ORDER = (DeviceKind.CARD, DeviceKind.SLICE, DeviceKind.PLACE)


def offers_of(pools: Pools, resource: str) -> Iterator[DeviceOffer]:
    """What the workers offer under a name, each kind of device once: whole cards first, places last."""
    found = {(each.kind, each.profile): each for each in pools.device_offers if each.resource == resource}
    yield from sorted(found.values(), key=lambda each: (_ORDER.index(each.kind), each.profile))


def all_whole(pools: Pools) -> bool:
    """Whether every worker offers whole cards under the usual name."""
    return all(each == WHOLE_CARDS for each in pools.device_offers)


def any_single(pools: Pools) -> bool:
    """Whether a worker offers slices under the plain name."""
    return any(each.kind is DeviceKind.SLICE for each in pools.device_offers)

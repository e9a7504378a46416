"""The HAMi request of a whole Pod, as far as its containers can be expressed as equal shares.

HAMi chooses cards for one container after the other: a container gets different cards, and two containers may get
the same one. A request for equal shares of different cards says that only where no card has room for two of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE, Sharing
from bayplan.cluster.workload import GpuRequest
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.hami import CORES, MEMORY, MEMORY_PERCENT, HamiRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMES = (MEMORY, MEMORY_PERCENT, CORES)

_ALL = 100
_HALF = 50  # percent: two shares above this never fit on one card
_MILLI_IN_PERCENT = 10


def hami_share(beside: Sequence[Mapping[str, int]], passing: Sequence[Mapping[str, int]]) -> GpuRequest:
    """The share for all containers and init containers; InputError where it cannot be expressed."""
    asking, starting = _asking(beside), _asking(passing)
    total = _together(asking) if asking else starting[0]
    for each in starting:
        if not _covers(total, each):
            message = "an init container asks HAMi for another share of a card than the containers do"
            raise InputError(message, next="ask for the same in both")
    return GpuRequest(
        count=total.cards,
        runtime="cuda",
        memory_mib=total.memory_mib,
        fraction=None if total.memory_percent is None else Fraction(total.memory_percent, _ALL),
        compute_milli=total.compute_milli or None if total.shares else None,
        sharing=Sharing.HAMI,
        unit=next(name for name in NAMES if any(amounts.get(name) for amounts in (*beside, *passing))),
    )


def _asking(containers: Sequence[Mapping[str, int]]) -> list[HamiRequest]:
    return [_request(each) for each in containers if any(each.get(name) for name in (GPU_RESOURCE, *NAMES))]


def _request(amounts: Mapping[str, int]) -> HamiRequest:
    """The request of one container; where it names MiB and percent, the MiB count, as in HAMi."""
    memory, percent, cores = (amounts.get(name, 0) for name in NAMES)
    for name, amount in ((MEMORY_PERCENT, percent), (CORES, cores)):
        if amount > _ALL:
            raise InputError(f"{name}: {amount} % are more than a card has", next=f"write at most {_ALL}")
    part = percent if percent and not memory else None
    return HamiRequest(amounts.get(GPU_RESOURCE) or 1, memory or None, part, cores * _MILLI_IN_PERCENT)


def _together(asking: Sequence[HamiRequest]) -> HamiRequest:
    """One request for all containers: a single one, or several of which no two fit on one card."""
    first = asking[0]
    if len(asking) == 1:
        return first
    alike = len({each._replace(cards=1, compute_milli=each.compute_milli * each.shares) for each in asking}) == 1
    if not alike or not _fills_half(first):
        message = f"{len(asking)} containers ask HAMi for shares, which may be on one card or on several"
        raise InputError(message, next="ask for all of it in one container, or give each container a Pod of its own")
    return first._replace(cards=sum(each.cards for each in asking))


def _fills_half(asked: HamiRequest) -> bool:
    """Whether two of them never fit on one card, of any size."""
    percent = asked.memory_percent or 0
    return not asked.shares or percent > _HALF or asked.compute_milli > _HALF * _MILLI_IN_PERCENT


def _covers(total: HamiRequest, passing: HamiRequest) -> bool:
    """Whether an init container fits wherever the other containers fit."""
    if passing.cards > total.cards:
        return False
    if not total.shares:
        return True
    if (total.memory_mib is None) != (passing.memory_mib is None) or not passing.shares:
        return False
    amounts = zip(total[1:], passing[1:], strict=True)
    return all((most or 0) >= (amount or 0) for most, amount in amounts)

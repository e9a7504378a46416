"""What every controller works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bayplan.control.observing import UNOBSERVED

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.controllers.owned_pods import OwnedPods
    from bayplan.control.controllers.pod_writer import PodWriter
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Store


class Removals(Protocol):
    """Which bound Pods of a workload go first: namespace, name and reason of at most `count` Pods."""

    def __call__(self, workload: WorkloadKey, count: int) -> list[tuple[str, str, str]]: ...


def no_order(workload: WorkloadKey, count: int) -> list[tuple[str, str, str]]:
    """Leave the order to the controllers: Pods that are not ready go first, then the youngest."""
    return []


@dataclass(frozen=True, slots=True)
class World:
    """The store, and what is known of it; shared by all controllers of a process."""

    store: Store
    cache: Cache
    events: EventRecorder
    clock: Clock
    removals: Removals
    pods: OwnedPods
    writer: PodWriter
    observer: LoopObserver = UNOBSERVED


class Loop(Protocol):
    """A controller that runs until it is stopped."""

    def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def settled(self) -> None: ...

"""What the loops and the store tell about themselves while they work: for metrics, never for decisions.

Events are told (`LoopObserver`, `StoreObserver`): a call is an addition somewhere, cheap enough for every Pod. States
are asked for (`QueueView`): the length of a queue costs nothing until somebody wants to know it, and cannot drift from
the queue. All methods are called in the thread of the event loop.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


class Result(StrEnum):
    """What became of one try to place a workload."""

    PLACED = "placed"
    """Everything that it asked for is bound."""
    PARTLY = "partly"
    """At least its minimum is bound."""
    WAITING = "waiting"
    """Nothing fits now; it would fit if others were gone."""
    INFEASIBLE = "infeasible"
    """It would not fit into the empty cluster."""
    LOST_RACE = "lost-race"
    """The cluster changed between decision and commit; it is tried again at once."""
    ERROR = "error"
    """A broken plugin or configuration, or a store that failed."""


class Phase(StrEnum):
    """The parts of one try, in their order."""

    QUEUE = "queue"
    """From the moment that the workload could be tried until it was."""
    READ = "read"
    """The owner's document to a sized workload."""
    PLAN = "plan"
    """The decision: filters, scorers, gangs, victims."""
    RESERVE = "reserve"
    """From the decision to the write: permit and pre-bind plugins, victims that go, cards that are cut."""
    COMMIT = "commit"
    """The write of all Pods, until it is durable."""


class Demand(StrEnum):
    """How strongly a workload asked for a topology."""

    PREFERRED = "preferred"
    REQUIRED = "required"


class QueueLine(NamedTuple):
    """What waits in one state: `ready` to be tried, `waiting` for an event, `reserved` where room is held for it."""

    state: str
    workloads: int
    pods: int
    oldest_s: float
    """How long the oldest of them has waited; 0 where there is none."""


class QueueView(Protocol):
    """A queue that can be asked how long it is; every state it knows is told, also where nothing is in it."""

    def lines(self) -> Iterable[QueueLine]: ...


class LoopObserver:
    """Hears what the loops do, and does nothing with it; metrics are a subclass."""

    def decided(self, profile: str, result: Result, seconds: float) -> None:
        """One try of one workload ended, commit included; `profile` names the strategy that decided."""

    def passed(self, phase: Phase, seconds: float) -> None:
        """A phase of a try ended."""

    def refused(self, code: str, workers: int) -> None:
        """A try that placed nothing, or too little, was refused by this many workers for this reason."""

    def bound(self, pods: int, waited_s: float) -> None:
        """Pods were bound by one commit; the oldest of them had been pending for so long."""

    def preempted(self, pods: int) -> None:
        """Pods were told to go, because something of more weight takes their place."""

    def evicted(self, pods: int, reason: str) -> None:
        """Pods were deleted because of their node: `node-lost`, `drained`, `taint`."""

    def topology_violated(self, demand: Demand, pods: int = 1) -> None:
        """Pods are placed against a topology that is preferred, or are seen to break one that is required."""

    def cards_reconfigured(self, cards: int) -> None:
        """Idle cards were cut into other MIG instances."""

    def models_booked(self, bookings: int) -> None:
        """Replicas of models were booked on server replicas."""

    def model_answered(self, answer: str) -> None:
        """A server answered: `loaded`, `load-failed`, `unloaded`, `unload-failed`, `lost`."""

    def models_retried(self, bookings: int) -> None:
        """Loads and unloads that failed are tried again."""

    def models_overtaken(self) -> None:
        """A decision on models was not written, because another writer was first."""

    def node_changed(self, change: str) -> None:
        """A node came or went: `added`, `removed`, `ready`, `not-ready`, `cordoned`, `updated`."""

    def heartbeat(self) -> None:
        """A worker said that it is alive."""

    def event_dropped(self) -> None:
        """An Event was not written, because too many wait."""

    def reconciled(self, loop: str, seconds: float, *, failed: bool) -> None:
        """A controller looked at one object."""


class StoreObserver:
    """Hears what a store does, and does nothing with it; metrics are a subclass."""

    def committed(self, writes: int, seconds: float, waited_s: float) -> None:
        """One commit ended: how many objects it wrote, and how long the first of them had waited for it."""

    def conflicted(self, batches: int) -> None:
        """Batches were refused because another revision is stored than they expect."""

    def failed(self) -> None:
        """A commit failed: the disk is full or broken."""

    def compacted(self, seconds: float) -> None:
        """Old revisions were forgotten."""


UNOBSERVED = LoopObserver()
"""For loops without an observer."""
UNOBSERVED_STORE = StoreObserver()

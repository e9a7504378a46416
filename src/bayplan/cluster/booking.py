"""A booking: what one replica holds on one worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.gpu import CardId
from bayplan.cluster.identity import DEFAULT_NAMESPACE, GangKey, ReplicaKey, WorkloadKey
from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.cluster.mig import MigInstance

WHOLE_CARD_MILLI = 1000


@dataclass(frozen=True, slots=True)
class CardBooking:
    """A card, or a part of one: MiB of its memory, thousandths of its compute, or a MIG instance.

    With none of the three the card is held whole. No index: an instance whose card is not known. `headroom_mib` is
    memory beside the booking that its engine needs to be free at start: it is not booked, and no other booking gets it.
    `places` is how many places a share takes of a card that has places; None counts as one.
    """

    index: int | None
    runtime: str = "cuda"
    memory_mib: int | None = None
    compute_milli: int | None = None
    mig: MigInstance | None = None
    headroom_mib: int = 0
    places: int | None = None

    def __post_init__(self) -> None:
        if (self.index or 0) < 0 or (self.memory_mib or 0) < 0 or self.headroom_mib < 0:
            refuse_negative({"index": self.index, "memory": self.memory_mib, "headroom": self.headroom_mib})
        if self.compute_milli is not None and not 0 <= self.compute_milli <= WHOLE_CARD_MILLI:
            percent = self.compute_milli / 10
            raise InputError(f"{percent:g} % is no share of a card", place="computePercent", next="write 0 to 100")
        if self.places is not None and (self.places < 1 or self.mig is not None):
            raise InputError(f"{self.places} places of a card", place="places", next="write 1 or more, without mig")
        if self.index is None and self.mig is None:
            raise InputError("no card is named", place="index", next="name the card, or the mig profile of a slice")

    @property
    def card(self) -> CardId | None:
        return None if self.index is None else CardId(self.runtime, self.index)

    @property
    def whole(self) -> bool:
        """Whether no other booking may hold any part of the card."""
        return self.memory_mib is None and self.compute_milli is None and self.mig is None and self.places is None

    def clashes_with(self, other: CardBooking) -> bool:
        """Whether one replica cannot hold both: a card is one share, or several different MIG instances."""
        if self.index is None or self.index != other.index or self.runtime != other.runtime:
            return False
        if self.mig is None or other.mig is None:
            return True
        return self.mig.start is not None and self.mig.start == other.mig.start

    @property
    def compute_percent(self) -> float | None:
        """The share as documents write it."""
        return None if self.compute_milli is None else self.compute_milli / 10


@dataclass(frozen=True, slots=True)
class Booking:
    """The claim of one replica on one worker; a replica over several workers has one on each.

    `role` is the replica's in a workload of several roles; empty where it is not known.
    """

    workload: str
    replica: int
    worker: str
    cpu_milli: int = 0
    ram_mib: int = 0
    cards: tuple[CardBooking, ...] = ()
    priority: int = 0
    gang: str | None = None
    namespace: str = DEFAULT_NAMESPACE
    resources: FrozenMap[str, int] = NO_AMOUNTS
    role: str = ""

    def __post_init__(self) -> None:
        if self.replica < 0 or self.cpu_milli < 0 or self.ram_mib < 0:
            refuse_negative({"replica": self.replica, "cpu": self.cpu_milli, "ram": self.ram_mib})
        if self.resources:
            refuse_negative({f"resources.{name}": amount for name, amount in self.resources.items()})
        if len(self.cards) > 1:
            self._refuse_clashes()

    def _refuse_clashes(self) -> None:
        for number, booked in enumerate(self.cards):
            if any(booked.clashes_with(earlier) for earlier in self.cards[:number]):
                raise InputError(
                    f"card {booked.card} is booked twice", place=f"gpus[{number}]", next="book each card once"
                )

    @property
    def key(self) -> WorkloadKey:
        """Whose it is."""
        return WorkloadKey(self.namespace, self.workload)

    @property
    def owner(self) -> ReplicaKey:
        """Which replica holds it."""
        return ReplicaKey(self.namespace, self.workload, self.replica)

    @property
    def gang_key(self) -> GangKey | None:
        """The gang that it falls with; one of the same name in another namespace is another gang."""
        return None if self.gang is None else GangKey(self.namespace, self.gang)


@dataclass(frozen=True, slots=True)
class Budget:
    """How many replicas of a workload must stay: preemption never removes these."""

    workload: str
    min_available: int
    namespace: str = DEFAULT_NAMESPACE

    def __post_init__(self) -> None:
        refuse_negative({"minAvailable": self.min_available})

    @property
    def key(self) -> WorkloadKey:
        """Whose replicas must stay."""
        return WorkloadKey(self.namespace, self.workload)


def is_avoided(booking: Booking, namespace: str, names: Collection[str]) -> bool:
    """Whether a workload of this namespace that avoids these workloads and gangs must not share its worker."""
    return booking.namespace == namespace and (booking.workload in names or booking.gang in names)

"""A worker: one machine that can host work."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE, WHOLE_CARDS, DeviceKind, DeviceOffer, MigStrategy, Sharing
from bayplan.cluster.frozen_map import EMPTY, NO_AMOUNTS, FrozenMap
from bayplan.cluster.places import repeated
from bayplan.cluster.quantities import refuse_negative
from bayplan.cluster.topology import NOWHERE, TopologyPath
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.cluster.gpu import CardId, Gpu
    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.numa import Numa
    from bayplan.cluster.taint import Taint
    from bayplan.cluster.utilization import Utilization

NO_RATES: FrozenMap[str, float | None] = FrozenMap()
NO_SLICES: FrozenMap[str, int] = FrozenMap()


class WorkerStatus(StrEnum):
    """Whether a worker takes new work; what runs there keeps running in every status."""

    READY = "ready"
    NOT_READY = "not-ready"
    CORDONED = "cordoned"
    DRAINING = "draining"


def uid_of(name: str) -> str:
    """The uid of a worker that has none of its own: the same name gives the same uid everywhere."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def uid_hash(uid: str) -> int:
    """A number that replaces a uid in columns and asks: the same everywhere, and of 63 bits."""
    digest = hashlib.blake2b(uid.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1  # 63 bits are never negative as int64


@dataclass(frozen=True, slots=True)
class Worker:
    """What a worker is and offers, before any booking.

    CPU and RAM that are None are not known: only workloads that ask for them are refused. The order of `gpus` is
    that of the link matrix. `mig_slices` are instances whose card is not known, counted over the worker.
    `gpu_resource` is the name under which Kubernetes offers its NVIDIA devices, and a container gets at most
    `places_per_container` places; None is no limit. `resources` are amounts of anything else, by the name that requests
    use.
    """

    name: str
    status: WorkerStatus = WorkerStatus.READY
    labels: FrozenMap[str, str] = EMPTY
    taints: tuple[Taint, ...] = ()
    topology: TopologyPath = NOWHERE
    cpu_milli: int | None = None
    ram_mib: int | None = None
    gpus: tuple[Gpu, ...] = ()
    links: LinkMatrix | None = None
    mig_slices: FrozenMap[str, int] = NO_SLICES
    usd_per_hour: float | None = None
    spot: bool = False
    power_watts: float | None = None
    carbon_g_per_kwh: float | None = None
    cached_models: FrozenMap[str, float | None] = NO_RATES
    services: tuple[str, ...] = ()
    reserved_ram_mib: int = 0
    reserved_gpu_memory_mib: int = 0
    numa: Numa | None = None
    utilization: Utilization | None = None
    uid: str = ""
    mig_strategy: MigStrategy | None = None
    sharing: Sharing | None = None
    places_per_container: int | None = None
    gpu_resource: str = GPU_RESOURCE
    resources: FrozenMap[str, int] = NO_AMOUNTS

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a worker has no name", place="name", next="give it one")
        if not self.uid:
            object.__setattr__(self, "uid", uid_of(self.name))
        self._check_amounts()
        self._check_cards()

    def _check_amounts(self) -> None:
        amounts: dict[str, float | None] = {
            "cpu": self.cpu_milli,
            "ram": self.ram_mib,
            "reserved.ram": self.reserved_ram_mib,
            "reserved.gpuMemory": self.reserved_gpu_memory_mib,
            "usdPerHour": self.usd_per_hour,
            "powerWatts": self.power_watts,
            "carbonGramsPerKwh": self.carbon_g_per_kwh,
            "placesPerContainer": self.places_per_container,
        }
        refuse_negative(amounts)
        refuse_negative({f"migSlices.{profile}": self.mig_slices[profile] for profile in self.mig_slices})
        refuse_negative({f"resources.{name}": self.resources[name] for name in self.resources})
        for model in self.cached_models:
            rate = self.cached_models[model]
            if rate is not None and not 0 <= rate <= 1:
                raise InputError(
                    f"{rate:g} is no hit rate", place=f"cachedModels.{model}", next="write 0 to 1, or null for unknown"
                )

    def _check_cards(self) -> None:
        """Compares plain pairs: ids of cards would cost more than everything else that a worker is made of."""
        keys = [(gpu.runtime, gpu.index) for gpu in self.gpus]
        if len(set(keys)) < len(keys) and (again := repeated(self.cards)):
            number, card = again
            raise InputError(
                f"card {card} is listed twice",
                place=f"gpus[{number}].index",
                next="give each card of a runtime its own index",
            )
        if self.links is not None and [(card.runtime, card.index) for card in self.links.cards] != keys:
            raise InputError(
                "the links join other cards than gpus lists", place="links", next="describe the links of these gpus"
            )

    @property
    def device_offer(self) -> DeviceOffer:
        """What a request by the name of the resource gets here.

        HAMi gives whole cards to requests that name no memory, however many places its cards have.
        """
        named, most, sharing = self.gpu_resource, self.places_per_container, self.sharing
        if self.mig_strategy is MigStrategy.SINGLE:
            return DeviceOffer(named, DeviceKind.SLICE, self._single_profile, most, sharing)
        if sharing is not Sharing.HAMI and any(gpu.places is not None for gpu in self.gpus):
            return DeviceOffer(named, DeviceKind.PLACE, "", most, sharing)
        return WHOLE_CARDS if (named, sharing) == (GPU_RESOURCE, None) else DeviceOffer(named, sharing=sharing)

    @property
    def closes_full(self) -> bool:
        """Whether a card whose compute is all booked takes no further share: so does HAMi."""
        return self.sharing is Sharing.HAMI

    @property
    def _single_profile(self) -> str:
        """The profile that all slices have; empty where there are none."""
        on_cards = (each.profile for gpu in self.gpus if gpu.mig is not None for each in gpu.mig.slices)
        return next((profile.lower() for profile in (*self.mig_slices, *on_cards)), "")

    @property
    def cards(self) -> tuple[CardId, ...]:
        return tuple(gpu.card for gpu in self.gpus)

    def gpu(self, card: CardId) -> Gpu | None:
        """The card of that id."""
        for gpu in self.gpus:
            if gpu.index == card.index and gpu.runtime == card.runtime:
                return gpu
        return None

    def position(self, card: CardId) -> int | None:
        """The position of that card in `gpus`, in the link matrix and in the columns of a snapshot."""
        return next((number for number, gpu in enumerate(self.gpus) if gpu.card == card), None)

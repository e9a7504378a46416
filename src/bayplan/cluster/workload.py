"""A workload: who asks, and what each of its replicas asks for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.identity import DEFAULT_NAMESPACE, WorkloadKey
from bayplan.cluster.places import repeated
from bayplan.cluster.quantities import refuse_negative
from bayplan.cluster.selector import Selector
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.cluster.device_offer import Sharing
    from bayplan.cluster.gang import Gang
    from bayplan.cluster.gpu import GpuId
    from bayplan.cluster.model import ModelSpec
    from bayplan.cluster.taint import Toleration
    from bayplan.cluster.topology import Level

ANYWHERE = Selector()


class Preemption(StrEnum):
    """Whom a workload may push aside."""

    NEVER = "never"
    LOWER_PRIORITY = "lower-priority"


class Locality(StrEnum):
    """How near the cards of one replica must be to each other."""

    SAME_NODE = "same-node"
    SAME_SOCKET = "same-socket"
    NVLINK = "nvlink"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class GpuRequest:
    """The cards of one replica.

    No `count` leaves the number to the fit tiers. `memory_mib` and `compute_milli` are a share of each card;
    with neither, no MIG profile and no model that tells the share, cards are whole. `card_memory_mib` is how
    large a card must at least be, `runtime` the only one whose cards will do. `fraction` is a part of each card's
    memory.

    `resource` is the name of Kubernetes under which devices are asked for: what they are depends on the worker. One
    container asks for at most `per_container` of them. Only workers that share their cards by `sharing` will do, if
    one is named; `unit` is then the name of the resource that others lack.
    """

    count: int | None = None
    models: tuple[str, ...] = ()
    memory_mib: int | None = None
    card_memory_mib: int | None = None
    compute_milli: int | None = None
    mig: str | None = None
    locality: Locality | None = None
    min_bandwidth_gb_per_s: float | None = None
    runtime: str | None = None
    fraction: Fraction | None = None
    resource: str | None = None
    per_container: int = 0
    sharing: Sharing | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "count": self.count,
                "memory": self.memory_mib,
                "cardMemory": self.card_memory_mib,
                "computePercent": self.compute_milli,
                "minBandwidth": self.min_bandwidth_gb_per_s,
            }
        )

    @property
    def whole(self) -> bool:
        """Whether the request itself names no part of a card; a shape with a model still books only its need."""
        return (self.memory_mib, self.compute_milli, self.mig, self.fraction) == (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Backend:
    """The engine that serves the model, the flags it is started with, and its version where it is known."""

    name: str
    args: tuple[str, ...] = ()
    version: str | None = None


@dataclass(frozen=True, slots=True)
class DryRun:
    """The most that a trial run took on one model of GPU."""

    model: str
    gpu_percent: float | None = None
    memory_mib: int | None = None

    def __post_init__(self) -> None:
        refuse_negative({"gpuPercent": self.gpu_percent, "memory": self.memory_mib})


SAME_USD_PER_HOUR = 1e-9
"""Prices that are added up are above a limit only by more than this: 1.1 and 2.2 are 3.3."""


@dataclass(frozen=True, slots=True)
class CostLimit:
    """What a workload may cost; `spot` False refuses spot workers, True likes them, None does not care.

    `max_spot_percent` is the part of the workload's replicas that may be on spot workers.
    """

    max_usd_per_hour: float | None = None
    spot: bool | None = None
    max_spot_percent: float | None = None

    def __post_init__(self) -> None:
        refuse_negative({"maxUsdPerHour": self.max_usd_per_hour, "maxSpotPercent": self.max_spot_percent})
        if self.max_spot_percent is not None and self.max_spot_percent > 100:
            message = f"{self.max_spot_percent:g} % are more than all replicas"
            raise InputError(message, place="maxSpotPercent", next="write 0 to 100")


NO_LIMIT = CostLimit()


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a Pod: what it requests, the CPU it is limited to, and how many devices it wants."""

    cpu_milli: int = 0
    ram_mib: int = 0
    cards: int = 0
    cpu_limit_milli: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What one replica asks for, without saying whose it is: equal shapes get equal answers.

    CPU and RAM that are None are not asked for, which is not the same as 0 of an unknown capacity. `containers` are
    those of a Pod, empty for a native workload, which is one guaranteed container. `weights` are the scorers (by
    name) whose weight this workload changes or adds, in percent of all. `preferred_regions` win where all else is
    equal. `resources` are amounts by name, as workers offer them. `unknown` says which demand was not understood:
    such a replica fits nowhere.
    """

    model: ModelSpec | None = None
    backend: Backend | None = None
    gpus: GpuRequest | None = None
    cpu_milli: int | None = None
    ram_mib: int | None = None
    dry_run: tuple[DryRun, ...] = ()
    selector: Selector = ANYWHERE
    tolerations: tuple[Toleration, ...] = ()
    gpu_ids: tuple[GpuId, ...] = ()
    distributed: bool = False
    cpu_offload: bool = False
    allow_overcommit: bool = False
    strategy: str = "pack"
    anti_affinity: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    cost: CostLimit = NO_LIMIT
    regions: tuple[str, ...] = ()
    max_carbon_g_per_kwh: float | None = None
    max_workers_to_score: int | None = None
    containers: tuple[Container, ...] = ()
    guaranteed: bool = True
    weights: tuple[tuple[str, float], ...] = ()
    preferred_regions: tuple[str, ...] = ()
    resources: FrozenMap[str, int] = NO_AMOUNTS
    unknown: str = ""

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "cpu": self.cpu_milli,
                "ram": self.ram_mib,
                "maxCarbonGramsPerKwh": self.max_carbon_g_per_kwh,
                "maxWorkersToScore": self.max_workers_to_score,
                **{f"resources.{name}": amount for name, amount in self.resources.items()},
            }
        )


ANYTHING = Shape()

MOST_REPLICAS = 1_000_000
"""Each has a name and is placed by itself, so that a slip of the pen must not cost minutes."""


def _refuse_crowd(replicas: int) -> None:
    refuse_negative({"replicas": replicas})
    if replicas > MOST_REPLICAS:
        message = f"{replicas:,} replicas are too many"
        raise InputError(message, place="replicas", next=f"write at most {MOST_REPLICAS:,}")


@dataclass(frozen=True, slots=True)
class Role:
    """Members of one shape in a workload of several; no priority of its own means the workload's.

    A Pod of a group is a role of one member, which is called as the Pod.
    """

    name: str
    replicas: int = 1
    shape: Shape = ANYTHING
    priority: int | None = None
    preemption: Preemption | None = None
    is_pod: bool = False

    def __post_init__(self) -> None:
        _refuse_crowd(self.replicas)


@dataclass(frozen=True, slots=True)
class WorkloadId:
    """Who asks: everything by which two workloads that want the same still differ."""

    name: str
    namespace: str = DEFAULT_NAMESPACE
    uid: str = ""
    priority: int = 0
    created_s: float | None = None

    @property
    def key(self) -> WorkloadKey:
        """By what its bookings know it."""
        return WorkloadKey(self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class Workload:
    """Replicas of one shape, or members of several roles."""

    id: WorkloadId
    shape: Shape = ANYTHING
    replicas: int = 1
    roles: tuple[Role, ...] = ()
    gang: Gang | None = None
    spread_over: Level | None = None
    preemption: Preemption = Preemption.NEVER

    def __post_init__(self) -> None:
        _refuse_crowd(self.replicas)
        if again := repeated(role.name for role in self.roles):
            number, name = again
            raise InputError(
                f"two roles are called {name!r}",
                place=f"roles[{number}].name",
                next="give each role its own name",
            )

    @property
    def name(self) -> str:
        return self.id.name

    @property
    def key(self) -> WorkloadKey:
        return self.id.key

    @property
    def desired(self) -> int:
        """How many members there should be, over all roles."""
        return sum(role.replicas for role in self.roles) if self.roles else self.replicas

    @property
    def minimum(self) -> int:
        """How many must be placed for any to be: one where there is no gang."""
        return self.gang.least(self.desired) if self.gang else 1

    @property
    def shapes(self) -> tuple[tuple[str | None, int, Shape], ...]:
        """Role, number of members and shape, in order; without roles there is one, of no name."""
        if not self.roles:
            return ((None, self.replicas, self.shape),)
        return tuple((role.name, role.replicas, role.shape) for role in self.roles)

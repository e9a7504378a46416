"""What one replica asks of a worker in one tier, without saying whose replica it is: equal asks are one class."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.selector import Selector
from bayplan.placement.asks.tier import Tier

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy.typing as npt

    from bayplan.cluster.device_offer import DeviceOffer
    from bayplan.cluster.gpu import CardId
    from bayplan.cluster.taint import Toleration
    from bayplan.cluster.workload import Container, DryRun, Locality

ANYWHERE = Selector()
_INT64 = 1 << 62
"""Products below this, and their differences, fit into signed 64 bits; larger ones are computed card by card."""


class Taking(StrEnum):
    """How a tier takes cards: not at all, whole, a share of each in MiB, or by layers in proportion to what is free.

    For MIG instances and for places on shared cards, the `cards` of the one shape is their number.
    """

    NOTHING = "nothing"
    WHOLE = "whole"
    SHARE = "share"
    LAYERS = "layers"
    SLICES = "slices"
    PLACES = "places"


class FractionOf(StrEnum):
    """What a memory fraction speaks of: all that the engine takes (vLLM), weights and KV cache (SGLang), or the part
    of a card that was asked for (KAI, HAMi).
    """

    CARD = "card"
    STATIC = "static"
    PORTION = "portion"


class CardNeed(Protocol):
    """What a replica puts on each of its cards: of one shape, or as columns of many."""

    @property
    def need_mib(self) -> Any: ...

    @property
    def headroom_mib(self) -> Any: ...

    @property
    def overhead_mib(self) -> Any: ...

    @property
    def gone_mib(self) -> Any: ...


class NeedColumns(NamedTuple):
    """The needs of several shapes."""

    need_mib: npt.NDArray[np.int64]
    headroom_mib: npt.NDArray[np.int64]
    overhead_mib: npt.NDArray[np.int64]
    gone_mib: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CardShape:
    """One way to divide a replica: the number of cards, each with room for `need_mib` and, beside it, the headroom.

    `overhead_mib` is the part of the need that is the engine itself, `gone_mib` what a card loses before an engine
    loads weights; both are there where a memory fraction is of weights and KV cache.

    `unit` cards must stay together on one worker where the replica spans several; with `splits` a flag asks for them,
    so they may part where no worker has that many.
    """

    cards: int
    need_mib: int = 0
    tp: int = 1
    pp: int = 1
    dp: int = 1
    unit: int = 1
    splits: bool = False
    headroom_mib: int = 0
    overhead_mib: int = 0
    gone_mib: int = 0

    @property
    def room_mib(self) -> int:
        """What must be free on each card where no memory fraction is given."""
        return self.need_mib + self.headroom_mib


@dataclass(frozen=True, slots=True)
class CardRule:
    """Which cards may be used at all, whatever is booked on them: answered once for each distinct set of cards."""

    models: tuple[str, ...] = ()
    runtime: str | None = None
    backend: str = "custom"
    card_memory_mib: int = 0
    needs_memory: bool = False
    mixes_models: bool = False


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory fraction that the user gave."""

    fraction: Fraction
    of: FractionOf


@dataclass(frozen=True, slots=True)
class Layers:
    """A model that is divided by layers; where `partial`, layers that find no room on cards stay on the host.

    `count` does not contain the layers that a flag keeps on the host, `kept`.
    """

    count: int
    layer_mib: Fraction
    overhead_mib: int
    cards: int | None = None
    partial: bool = False
    kept: int = 0

    def room_for(self, free_mib: int) -> int:
        """How many layers a card with `free_mib` of free memory holds."""
        each = self.layer_mib  # whole numbers: fractions would cost ten times as much, and every card is asked
        return max(0, min(self.count, (free_mib - self.overhead_mib) * each.denominator // each.numerator))

    def rooms_for(self, free_mib: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """`room_for` of many cards."""
        each = self.layer_mib
        largest = max(int(free_mib.max(initial=0)), self.overhead_mib) * each.denominator
        if largest >= _INT64 or each.numerator >= _INT64:
            rooms = [self.room_for(free) for free in free_mib.ravel().tolist()]
            return np.array(rooms, np.int64).reshape(free_mib.shape)
        rooms_mib = np.asarray(free_mib, np.int64) - self.overhead_mib
        held: npt.NDArray[np.int64] = np.clip(rooms_mib * each.denominator // each.numerator, 0, self.count)
        return held

    def card_mib(self, layers: int) -> int:
        """What this number of layers takes of a card, with the engine itself."""
        return self.host_mib(layers) + self.overhead_mib

    def host_mib(self, layers: int) -> int:
        """What this number of layers takes of the host, rounded up."""
        return -(-layers * self.layer_mib.numerator // self.layer_mib.denominator)


@dataclass(frozen=True, slots=True)
class Ask:
    """Frozen and hashable, because answers are kept per ask; its hash is worked out once.

    `devices` is there where a resource is named and workers differ in what it means: only workers that offer such
    devices are asked. One container asks for at most `per_container` of them. `sharing` and `unit` as in `GpuRequest`.

    CPU and RAM that are None are not asked for. `named` holds (name, uid hash) of the workers that the selector
    mentions by name. `selected` holds (uid hash of the worker, card) where the workload
    names its cards. `unknown` says why no worker can be judged or none will do, `unknown_code` is the code of that.
    `copies` is how many equal replicas are still to be placed, 1 where that cannot change which cards are taken.
    `locality` is SAME_SOCKET, NVLINK or None, and like `min_bandwidth_gb_per_s` is there only where several cards of
    one worker are asked for.
    """

    tier: Tier = Tier.AS_REQUESTED
    taking: Taking = Taking.NOTHING
    shapes: tuple[CardShape, ...] = ()
    rule: CardRule = CardRule()
    fit: Fit | None = None
    layers: Layers | None = None
    compute_milli: int = 0
    cpu_milli: int | None = None
    ram_mib: int | None = None
    selected: frozenset[tuple[int, CardId]] | None = None
    selector: Selector = ANYWHERE
    named: tuple[tuple[str, int], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    regions: tuple[str, ...] = ()
    max_carbon_g_per_kwh: float | None = None
    max_usd_per_hour: float | None = None
    spot: bool | None = None
    anti_affinity: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    model_name: str | None = None
    mig: str | None = None
    locality: Locality | None = None
    min_bandwidth_gb_per_s: float = 0.0
    dry_run: tuple[DryRun, ...] = ()
    containers: tuple[Container, ...] = ()
    guaranteed: bool = True
    preferred_regions: tuple[str, ...] = ()
    spans: bool = False
    overcommit: bool = False
    copies: int = 1
    unknown: str = ""
    unknown_code: str = "unknown-need"
    resources: FrozenMap[str, int] = NO_AMOUNTS
    devices: DeviceOffer | None = None
    per_container: int = 0
    sharing: Sharing | None = None
    unit: str = ""
    card_counts: npt.NDArray[np.intp] = field(init=False, compare=False, repr=False)
    needs_mib: npt.NDArray[np.int64] = field(init=False, compare=False, repr=False)
    rooms_mib: npt.NDArray[np.int64] = field(init=False, compare=False, repr=False)
    _per_card: npt.NDArray[np.int64] = field(init=False, compare=False, repr=False)
    quick: bool = field(init=False, compare=False, repr=False)
    """Whether it has one shape only, and that is a share of one card or a number of whole cards."""
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        put: Any = object.__setattr__
        put(self, "card_counts", np.array([shape.cards for shape in self.shapes], np.intp))
        amounts = [(shape.need_mib, shape.headroom_mib, shape.overhead_mib, shape.gone_mib) for shape in self.shapes]
        per_card = np.array(amounts, np.int64).reshape(-1, len(NeedColumns._fields))
        put(self, "_per_card", per_card)
        put(self, "needs_mib", per_card[:, 0])
        put(self, "rooms_mib", per_card[:, 0] + per_card[:, 1])
        put(self, "quick", self._is_quick())
        put(self, "_hash", hash(tuple([getattr(self, name) for name in _COMPARED])))

    def _is_quick(self) -> bool:
        if len(self.shapes) != 1 or len(self.rule.models) > 1 or self.overcommit or self.unknown or self.spans:
            return False
        if self.taking is Taking.WHOLE:
            return not self.rule.needs_memory
        plain = self.by_compute or (self.fit is None and not self.compute_milli and self.rule.needs_memory)
        return self.taking is Taking.SHARE and plain and self.shapes[0].cards == 1

    def at(self, number: Any) -> NeedColumns:
        """What the shapes of these numbers put on each card."""
        amounts = self._per_card[number]
        return NeedColumns(*(amounts[..., place] for place in range(len(NeedColumns._fields))))

    @property
    def exclusive(self) -> bool:
        """Whether only cards without any booking will do: so HAMi reads a request for all of a card's compute."""
        return self.sharing is Sharing.HAMI and self.compute_milli >= WHOLE_CARD_MILLI

    @property
    def by_compute(self) -> bool:
        """Whether it asks for a part of cards' compute, and for no memory of them."""
        return self.taking is Taking.SHARE and self.compute_milli > 0 and not self.rule.needs_memory

    def __hash__(self) -> int:
        return self._hash


_COMPARED = tuple(each.name for each in fields(Ask) if each.compare)

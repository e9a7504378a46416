"""From what a workload says to what its replicas ask, tier by tier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.placement.asks.ask import CardShape, Fit, FractionOf, Taking
from bayplan.placement.asks.backends import RUNS_ON_CPU
from bayplan.placement.asks.base_ask import base_ask
from bayplan.placement.asks.device_asks import device_asks
from bayplan.placement.asks.layer_asks import check_host_layers, counted_layers, kept_layers, layer_tiers
from bayplan.placement.asks.normal_form import alike
from bayplan.placement.asks.role_on_cluster import RoleOnCluster
from bayplan.placement.asks.share_asks import counted_shares, share_tiers
from bayplan.placement.asks.slice_asks import slice_ask
from bayplan.placement.asks.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.cluster.workload import GpuRequest
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.sizing.need import Need


@dataclass(frozen=True, slots=True)
class Asked:
    """The asks of a replica in the order in which they are tried, and what its owner should be told about them."""

    asks: tuple[Ask, ...]
    warnings: tuple[str, ...] = ()
    copies: int = 1
    """How many replicas were still to be placed."""
    made: tuple[Ask, ...] = ()
    """The same asks before their normal form: `copies` matters to that alone."""
    widest: int = 0
    """The most cards that one worker has."""

    def holds_for(self, copies: int) -> bool:
        """Whether the asks are the same where this many replicas are still to be placed."""
        if copies == self.copies or all(ask.copies == 1 for ask in self.asks):
            return True
        # No worker has room for more copies than an ask counts, where that is fewer than there were to be placed.
        return all(ask.copies < self.copies and ask.copies <= copies for ask in self.asks)

    def with_left(self, snapshot: Snapshot, copies: int) -> Asked:
        """The asks of the same role where this many replicas are still to be placed."""
        asks = tuple([alike(ask, snapshot, copies, self.widest) for ask in self.made])
        return Asked(asks, self.warnings, copies, self.made, self.widest)


def ask_tiers(sized: SizedRole, snapshot: Snapshot, copies: int = 1) -> Asked:
    """What one replica asks of this cluster; `copies` is how many equal ones are still to be placed."""
    role = RoleOnCluster(sized, snapshot)
    base = base_ask(role)
    asks = tuple(_asks(role, base))
    if role.shape.allow_overcommit and base.compute_milli <= WHOLE_CARD_MILLI:  # more than a card is on no card
        asks = (*asks, *_oversold(role, asks))
    return Asked((), tuple(role.warnings), made=asks, widest=role.widest).with_left(snapshot, copies)


def _asks(role: RoleOnCluster, base: Ask) -> Iterator[Ask]:
    """The asks before cards are oversold."""
    gpus, need = role.gpus, role.need
    if role.shape.unknown:
        yield replace(base, taking=Taking.SHARE, unknown=role.shape.unknown)
    elif gpus is not None and gpus.mig is not None:
        yield slice_ask(role, base, gpus, gpus.mig)
    elif need is not None and need.unknown is not None:
        yield replace(base, tier=Tier.ONE_GPU, taking=Taking.SHARE, unknown=need.unknown)
    elif need is None and gpus is not None and gpus.resource is not None and gpus.whole:
        yield from device_asks(base, gpus, gpus.resource, role.snapshot.pools)
    elif need is None or (gpus is not None and gpus.count is not None):
        yield from _as_requested(role, base)
    else:
        yield from _tiers(role, base, need)


def _as_requested(role: RoleOnCluster, base: Ask) -> Iterator[Ask]:
    """The workload says how many cards it wants."""
    gpus = role.gpus
    count = 0 if gpus is None else 1 if gpus.count is None else gpus.count
    if not count or gpus is None:
        yield replace(base, taking=Taking.NOTHING)
        return
    asked = _counted(role, base, gpus, count)
    yield asked
    if role.spans and role.engine_spans:
        together = tuple(shape for shape in asked.shapes if role.stays_together(shape))
        if together or not asked.shapes:
            yield replace(asked, shapes=together, spans=True)


def _counted(role: RoleOnCluster, base: Ask, gpus: GpuRequest, count: int) -> Ask:
    need = role.need
    if need is None:
        return _cards(base, gpus, count)
    check_host_layers(role, need, count)
    if role.engine.name == "llama-cpp" and (count > 1 or kept_layers(role, need)):
        return counted_layers(role, base, need, count)
    return counted_shares(role, base, need, count)


def _cards(base: Ask, gpus: GpuRequest, count: int) -> Ask:
    """Cards that are asked for without a model: whole, or a share of each."""
    if gpus.fraction is None:
        taking = Taking.WHOLE if gpus.whole else Taking.SHARE
        return replace(base, taking=taking, shapes=(CardShape(count, gpus.memory_mib or 0),))
    fit, rule = Fit(gpus.fraction, FractionOf.PORTION), replace(base.rule, needs_memory=True)
    return replace(base, taking=Taking.SHARE, shapes=(CardShape(count),), fit=fit, rule=rule)


def _tiers(role: RoleOnCluster, base: Ask, need: Need) -> Iterator[Ask]:
    """The model says how many cards it needs: all ways in which it may sit on the cluster."""
    yield from layer_tiers(role, base, need) if role.engine.name == "llama-cpp" else share_tiers(role, base, need)
    if role.shape.cpu_offload and role.engine.name in RUNS_ON_CPU and not role.engine.gpu_layers:
        ram_mib = (base.ram_mib or 0) + need.host_mib
        yield replace(base, tier=Tier.CPU, taking=Taking.NOTHING, ram_mib=ram_mib, fit=None)


def _oversold(role: RoleOnCluster, asks: Sequence[Ask]) -> Iterator[Ask]:
    """One more ask, on one worker and whatever is free there: the shape that oversells least is taken."""
    here = [ask for ask in asks if not ask.spans]
    shapes = tuple(shape for ask in here for shape in _equal_shares(role, ask))
    if shapes:
        tier = Tier.AS_REQUESTED if here[0].tier is Tier.AS_REQUESTED else Tier.ONE_WORKER
        yield replace(here[0], tier=tier, taking=Taking.SHARE, shapes=shapes, layers=None, overcommit=True)


def _equal_shares(role: RoleOnCluster, ask: Ask) -> Sequence[CardShape]:
    """Cards that are oversold have no free memory to divide layers by: each gets the same number of them."""
    layers = ask.layers
    if ask.taking is not Taking.LAYERS or layers is None:
        return ask.shapes if ask.taking is Taking.SHARE else ()
    if layers.partial or layers.kept:
        return ()
    counts = range(2, role.widest + 1) if layers.cards is None else (layers.cards,)
    return [CardShape(count, layers.card_mib(-(-layers.count // count))) for count in counts]

"""From what a workload says to what its replicas ask, tier by tier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.device_offer import GPU_RESOURCE, DeviceKind, DeviceOffer
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import profile_memory_mib
from bayplan.cluster.readable import MemoryPair
from bayplan.cluster.worker import uid_hash
from bayplan.cluster.workload import Locality
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import Ask, CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.asks.backends import OFFLOADS_PARTLY, RUNS_ON_CPU, SPANS_WORKERS
from bayplan.placement.asks.normal_form import alike
from bayplan.placement.asks.offers import all_whole, any_single, offers_of
from bayplan.placement.asks.tier import Tier
from bayplan.sizing.divisions import allowed_for, divisions
from bayplan.sizing.margins import gone_mib, headroom_mib
from bayplan.sizing.need import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.gpu import CardId
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.cluster.workload import GpuRequest, Shape
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.sizing.divisions import Division
    from bayplan.sizing.need import Need

A_BYTE_IN_MIB = Fraction(1, MIB)
"""What a layer of a model of 0 MiB counts as, so that a card holds a number of them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The asks of a replica in the order in which they are tried, and what its owner should be told about them."""

    asks: tuple[Ask, ...]
    warnings: tuple[str, ...] = ()

    @property
    def counts_copies(self) -> bool:
        """Whether it matters how many replicas are still to be placed."""
        return any(ask.copies > 1 for ask in self.asks)


_LAYERS_UNKNOWN = "the need is unknown: give model.architecture.layers"


def ask_tiers(role: SizedRole, snapshot: Snapshot, copies: int = 1) -> Asked:
    """What one replica asks of this cluster; `copies` is how many equal ones are still to be placed."""
    return _Asking(role, snapshot, copies).asked()


class _Asking:
    """One shape, on one cluster."""

    def __init__(self, role: SizedRole, snapshot: Snapshot, copies: int) -> None:
        self.shape, self.need, self.engine = role.shape, role.need, role.engine
        self.gpus = role.shape.gpus
        self.snapshot, self.copies = snapshot, copies
        self.warnings: list[str] = []
        counts = snapshot.table.columns["card_count"]
        self.widest = int(counts.max()) if len(counts) else 0
        self.cards = int(counts.sum()) if len(counts) else 0
        self.spans = self._spans(role.shape)

    def _spans(self, shape: Shape) -> bool:
        """Whether cards of several workers will do: not where they must be near, or fast, between each other."""
        if self.gpus is None:
            return shape.distributed
        if self.gpus.min_bandwidth_gb_per_s and self.gpus.count != 1:
            return False
        return self.gpus.locality is Locality.ANY or (shape.distributed and self.gpus.locality is None)

    def asked(self) -> Asked:
        base = self._base()
        if self.shape.unknown:
            asks: tuple[Ask, ...] = (replace(base, taking=Taking.SHARE, unknown=self.shape.unknown),)
        elif self.gpus is not None and self.gpus.mig is not None:
            asks = (self._slices(base, self.gpus.mig),)
        elif self.need is not None and self.need.unknown is not None:
            asks = (replace(base, tier=Tier.ONE_GPU, taking=Taking.SHARE, unknown=self.need.unknown),)
        elif self.need is None and self.gpus is not None and self.gpus.resource is not None and self.gpus.whole:
            asks = tuple(self._device_asks(base, self.gpus, self.gpus.resource))
        elif self.need is None or (self.gpus is not None and self.gpus.count is not None):
            asks = tuple(self._as_requested(base))
        else:
            asks = tuple(self._tiers(base, self.need))
        if self.shape.allow_overcommit and base.compute_milli <= WHOLE_CARD_MILLI:  # more than a card is on no card
            asks = (*asks, *self._oversold(asks))
        normal = (alike(ask, self.snapshot, self.copies, self.widest) for ask in asks)
        return Asked(tuple(normal), tuple(self.warnings))

    def _base(self) -> Ask:
        shape, gpus = self.shape, self.gpus
        rule = CardRule(
            models=gpus.models if gpus else (),
            runtime=gpus.runtime if gpus else None,
            backend=self.engine.name,
            card_memory_mib=(gpus.card_memory_mib or 0) if gpus else 0,
            needs_memory=self.need is not None or (gpus is not None and gpus.memory_mib is not None),
            mixes_models=self.engine.name == "llama-cpp",
        )
        return Ask(
            rule=rule,
            fit=self._fit(),
            compute_milli=(gpus.compute_milli or 0) if gpus else 0,
            cpu_milli=shape.cpu_milli,
            ram_mib=shape.ram_mib,
            resources=self._resources(),
            selected=self._selected(),
            selector=shape.selector,
            named=self._named(),
            tolerations=shape.tolerations,
            regions=shape.regions,
            max_carbon_g_per_kwh=shape.max_carbon_g_per_kwh,
            max_usd_per_hour=shape.cost.max_usd_per_hour,
            spot=shape.cost.spot,
            anti_affinity=shape.anti_affinity,
            near=shape.near,
            model_name=shape.model.name if shape.model else None,
            dry_run=shape.dry_run,
            containers=shape.containers,
            guaranteed=shape.guaranteed,
            preferred_regions=shape.preferred_regions,
            sharing=gpus.sharing if gpus else None,
            unit=gpus.unit if gpus else "",
            **self._nearness(),
        )

    def _nearness(self) -> dict[str, Any]:
        """How near to each other the cards must be: a demand on cards of one worker, none on one card."""
        gpus = self.gpus
        if gpus is None or gpus.count == 1 or gpus.mig is not None:
            return {}
        near = gpus.locality if gpus.locality in (Locality.SAME_SOCKET, Locality.NVLINK) else None
        return {"locality": near, "min_bandwidth_gb_per_s": gpus.min_bandwidth_gb_per_s or 0.0}

    def _fit(self) -> Fit | None:
        fraction = self.engine.fraction
        if fraction is None or self.need is None:
            return None
        of = FractionOf.STATIC if self.engine.fraction_kind == "static" else FractionOf.CARD
        return Fit(Fraction(fraction), of)

    def _selected(self) -> frozenset[tuple[int, CardId]] | None:
        if not self.shape.gpu_ids:
            return None
        known = set()
        for gpu_id in self.shape.gpu_ids:
            row = self.snapshot.rows.get(gpu_id.worker)
            worker = None if row is None else self.snapshot.workers[row]
            if worker is None or worker.gpu(gpu_id.card) is None:
                self.warnings.append(f"gpuIds: {gpu_id} names no card of this cluster and is left out")
                continue
            known.add((uid_hash(worker.uid), gpu_id.card))
        return frozenset(known)

    def _resources(self) -> FrozenMap[str, int]:
        """Amounts by name; storage and huge pages that no worker states are told, and do not count."""
        stated = self.snapshot.pools.resources
        unstated = [name for name in self.shape.resources if is_in_bytes(name) and stated.find(name) is None]
        if not unstated:
            return self.shape.resources
        for name in sorted(unstated):
            self.warnings.append(f"no worker states how much {name} it has, so {name} does not count")
        return FrozenMap({name: amount for name, amount in self.shape.resources.items() if name not in unstated})

    def _named(self) -> tuple[tuple[str, int], ...]:
        """The workers of this cluster that the selector mentions by name."""
        rows = self.snapshot.rows
        known = sorted(name for name in self.shape.selector.names if name in rows)
        return tuple((name, uid_hash(self.snapshot.workers[rows[name]].uid)) for name in known)

    def _slices(self, base: Ask, profile: str) -> Ask:
        """Instances are asked for by name, so that nobody needs to know what the model needs of them."""
        count = 1 if self.gpus is None or self.gpus.count is None else self.gpus.count
        if not count:
            return replace(base, taking=Taking.NOTHING)
        if unmet := self._unmet_nearness(count):
            code, reason = unmet
            return replace(base, taking=Taking.SHARE, unknown=reason, unknown_code=code)
        self._check_instances(profile.lower(), count)
        rule = replace(base.rule, needs_memory=False)
        return replace(
            base, taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile.lower(), rule=rule, fit=None,
            compute_milli=0, devices=self._named_slices(profile.lower()),
        )  # fmt: skip

    def _named_slices(self, profile: str) -> DeviceOffer | None:
        """What a Pod asks for that names slices, where some workers offer theirs under another name."""
        resource = self.gpus.resource if self.gpus else None
        if resource is None or not any_single(self.snapshot.pools):
            return None
        return DeviceOffer(resource, DeviceKind.SLICE, profile)

    def _unmet_nearness(self, count: int) -> tuple[str, str] | None:
        """MIG instances have no links: several of them cannot be kept near each other."""
        if self.gpus is None or count == 1:
            return None
        if bandwidth := self.gpus.min_bandwidth_gb_per_s:
            return "bandwidth-short", f"needs {bandwidth:g} GB/s between {count} MIG instances, which have no links"
        if self.gpus.locality in (Locality.SAME_SOCKET, Locality.NVLINK):
            return "locality", f"{self.gpus.locality} cannot be kept among {count} MIG instances, which have no links"
        return None

    def _check_instances(self, profile: str, count: int) -> None:
        need_mib = None if self.need is None or self.need.unknown else self.need.card_mib(1, 1)
        instance_mib = profile_memory_mib(profile)
        if need_mib is not None and instance_mib is not None and need_mib > count * instance_mib:
            memory = MemoryPair(need_mib, count * instance_mib)
            self.warnings.append(f"gpus.mig: the model needs {memory.needed}; {count} x {profile} have {memory.free}")

    def _as_requested(self, base: Ask) -> Iterator[Ask]:
        gpus = self.gpus
        count = 0 if gpus is None else 1 if gpus.count is None else gpus.count
        if not count or gpus is None:
            yield replace(base, taking=Taking.NOTHING)
            return
        asked = base
        if self.need is not None:
            self._check_host_layers(self.need, count)
        if self.need is None:
            asked = self._cards(base, gpus, count)
        elif self.engine.name == "llama-cpp" and (count > 1 or self._kept(self.need)):
            asked = replace(base, taking=Taking.LAYERS, layers=self._layers(self.need, cards=count))
            if asked.layers is None:
                asked = replace(base, taking=Taking.SHARE, unknown=_LAYERS_UNKNOWN)
            elif count > asked.layers.count:
                self.warnings.append(f"gpus.count: of {count} cards only {asked.layers.count} get a layer")
        else:
            shapes = self._shapes(allowed_for(self.need, self.engine, count))
            if not shapes:
                message = f"{self.engine.name} with these flags cannot divide the model over {count} cards"
                step = "ask for a number of cards that the model's heads allow, or drop the flag"
                raise InputError(message, place="gpus.count", next=step)
            asked = replace(base, taking=Taking.WHOLE if self.need.takes_rest else Taking.SHARE, shapes=shapes)
        yield asked
        if self.spans and self._may_span:
            whole = tuple(shape for shape in asked.shapes if self._holds_together(shape))
            if whole or not asked.shapes:
                yield replace(asked, shapes=whole, spans=True)

    def _cards(self, base: Ask, gpus: GpuRequest, count: int) -> Ask:
        """Cards that are asked for without a model: whole, or a share of each."""
        if gpus.fraction is None:
            taking = Taking.WHOLE if gpus.whole else Taking.SHARE
            return replace(base, taking=taking, shapes=(CardShape(count, gpus.memory_mib or 0),))
        fit, rule = Fit(gpus.fraction, FractionOf.PORTION), replace(base.rule, needs_memory=True)
        return replace(base, taking=Taking.SHARE, shapes=(CardShape(count),), fit=fit, rule=rule)

    def _device_asks(self, base: Ask, gpus: GpuRequest, resource: str) -> Iterator[Ask]:
        """One ask for each kind of devices that workers offer under a name; where all offer whole cards, just that."""
        if gpus.count == 0:
            yield replace(base, taking=Taking.NOTHING)
            return
        pools = self.snapshot.pools
        whole = replace(base, taking=Taking.WHOLE, shapes=(CardShape(gpus.count or 1),))
        if all_whole(pools) and resource == GPU_RESOURCE:
            yield whole
            return
        offers = list(offers_of(pools, resource)) or [DeviceOffer(resource)]
        for offer in offers:
            devices = DeviceOffer(resource, offer.kind, offer.profile)
            asked = replace(whole, devices=devices, per_container=gpus.per_container)
            if offer.kind is DeviceKind.SLICE:
                asked = replace(asked, taking=Taking.SLICES, mig=offer.profile)
            elif offer.kind is DeviceKind.PLACE:
                asked = replace(asked, taking=Taking.PLACES)
            yield asked

    @property
    def _may_span(self) -> bool:
        return self.need is None or self.engine.name in SPANS_WORKERS

    def _tiers(self, base: Ask, need: Need) -> Iterator[Ask]:
        if self.engine.name == "llama-cpp":
            yield from self._layer_tiers(base, need)
        else:
            yield from self._share_tiers(base, need)
        if self.shape.cpu_offload and self.engine.name in RUNS_ON_CPU and not self.engine.gpu_layers:
            ram_mib = (base.ram_mib or 0) + need.host_mib
            yield replace(base, tier=Tier.CPU, taking=Taking.NOTHING, ram_mib=ram_mib, fit=None)

    def _share_tiers(self, base: Ask, need: Need) -> Iterator[Ask]:
        base = replace(base, taking=Taking.WHOLE if need.takes_rest else Taking.SHARE)
        shapes = self._shapes(divisions(need, self.engine, max(1, self.widest))) or self._out_of_reach(need)
        one = tuple(shape for shape in shapes if shape.cards == 1)
        if one:
            yield replace(base, tier=Tier.ONE_GPU, shapes=one)
        several = tuple(shape for shape in shapes if shape.cards > 1)
        if several:
            yield replace(base, tier=Tier.ONE_WORKER, shapes=several)
        if self.spans and self._may_span:
            wide = self._shapes(divisions(need, self.engine, max(1, min(self.cards, self._most_cards(need)))))
            shapes = tuple(shape for shape in wide if shape.cards > 1 and self._holds_together(shape))
            if shapes:
                yield replace(base, tier=Tier.MANY_WORKERS, shapes=shapes, spans=True)

    def _out_of_reach(self, need: Need) -> tuple[CardShape, ...]:
        """The flags ask for more cards than any worker has: the refusal should say how many."""
        shapes = self._shapes(divisions(need, self.engine, self._most_cards(need)))
        if not shapes:
            message = f"{self.engine.name} cannot divide the model as its flags ask"
            raise InputError(
                message,
                place="backend.args",
                next="choose tensor and pipeline parallel sizes that divide its heads and layers",
            )
        return shapes[:1]

    def _holds_together(self, shape: CardShape) -> bool:
        """Whether its tensor-parallel cards find room on one worker, or a flag lets them part."""
        return shape.unit <= self.widest or shape.splits

    def _most_cards(self, need: Need) -> int:
        """No more cards can be of use: every layer on cards of its own, each cut as often as a worker allows."""
        stages = self.engine.pp or need.layers or 64
        return max(1, (self.engine.tp or max(1, self.widest)) * stages * self.engine.dp)

    def _layer_tiers(self, base: Ask, need: Need) -> Iterator[Ask]:
        self._check_host_layers(need)
        if self.engine.gpu_layers == 0:
            return
        if self._kept(need):
            partly = replace(base, tier=Tier.PARTIAL_OFFLOAD, taking=Taking.LAYERS, layers=self._layers(need))
            yield partly
            if self.spans:
                yield replace(partly, spans=True)
            return
        one = CardShape(1, need.card_mib(1, 1))
        yield replace(base, tier=Tier.ONE_GPU, taking=Taking.SHARE, shapes=(one,))
        layers = self._layers(need)
        if layers is None:
            self.warnings.append("model.architecture.layers is not known, so the model is not divided over cards")
            return
        by_layers = replace(base, taking=Taking.LAYERS, layers=layers)
        yield replace(by_layers, tier=Tier.ONE_WORKER)
        if self.spans:
            yield replace(by_layers, tier=Tier.MANY_WORKERS, spans=True)
        if self.shape.cpu_offload and self.engine.gpu_layers is None and self.engine.name in OFFLOADS_PARTLY:
            partly = replace(by_layers, tier=Tier.PARTIAL_OFFLOAD, layers=replace(layers, partial=True))
            if self.spans:
                yield replace(partly, spans=True)
            yield partly

    def _layers(self, need: Need, cards: int | None = None) -> Layers | None:
        layer_mib = need.layer_mib
        if layer_mib is None or need.layers is None:
            return None
        kept = self._kept(need)
        return Layers(need.layers - kept, layer_mib or A_BYTE_IN_MIB, need.overhead_on(1, 1), cards, kept=kept)

    def _kept(self, need: Need) -> int:
        """How many layers a flag keeps on the host; none where it asks for all, or nobody knows how many there are."""
        asked = self.engine.gpu_layers
        return 0 if asked is None or need.layers is None else max(0, need.layers - asked)

    def _check_host_layers(self, need: Need, cards: int = 0) -> None:
        """A flag that keeps layers on the host needs leave to, and one that keeps them all needs no cards."""
        asked = self.engine.gpu_layers
        if asked == 0 and cards:
            message = f"this flag keeps every layer in RAM, but gpus.count asks for {cards} card{'s' * (cards > 1)}"
            raise InputError(message, place="backend.args", next="raise --gpu-layers, or leave gpus.count out")
        if (asked == 0 or self._kept(need)) and not self.shape.cpu_offload:
            of_all = "" if need.layers is None else f" of {need.layers}"
            message = (
                f"only {asked}{of_all} layers are on cards; the others stay in RAM, which the workload does not allow"
            )
            raise InputError(message, place="backend.args", next="set cpuOffload: true, or raise --gpu-layers")

    def _shapes(self, found: Sequence[Division]) -> tuple[CardShape, ...]:
        return tuple(self._shape(each) for each in found)

    def _shape(self, division: Division) -> CardShape:
        tp, pp, least = division.tp, division.pp, self.gpus.memory_mib or 0 if self.gpus else 0
        return CardShape(
            division.cards,
            max(least, division.card_mib),
            tp,
            pp,
            division.dp,
            self._unit(division),
            splits=self.engine.tp is not None,
            headroom_mib=0 if self.engine.fraction is not None else headroom_mib(self.engine, tp, pp),
            overhead_mib=division.overhead_mib,
            gone_mib=gone_mib(tp, pp) if self.engine.divides_layers else 0,
        )

    def _unit(self, division: Division) -> int:
        """A pipeline may part between stages; a custom engine's cards are only a number."""
        return division.tp if self.engine.name != "custom" else 1

    def _oversold(self, asks: Sequence[Ask]) -> Iterator[Ask]:
        """The same once more, on one worker and whatever is free: the shape that oversells least is taken."""
        here = [ask for ask in asks if not ask.spans]
        shapes = tuple(shape for ask in here for shape in self._equal_shares(ask))
        if shapes:
            tier = Tier.AS_REQUESTED if here[0].tier is Tier.AS_REQUESTED else Tier.ONE_WORKER
            yield replace(here[0], tier=tier, taking=Taking.SHARE, shapes=shapes, layers=None, overcommit=True)

    def _equal_shares(self, ask: Ask) -> Sequence[CardShape]:
        """Cards that are oversold have no free memory to divide layers by: each gets as many as the others."""
        layers = ask.layers
        if ask.taking is not Taking.LAYERS or layers is None:
            return ask.shapes if ask.taking is Taking.SHARE else ()
        if layers.partial or layers.kept:
            return ()
        counts = range(2, self.widest + 1) if layers.cards is None else (layers.cards,)
        return [CardShape(count, layers.card_mib(-(-layers.count // count))) for count in counts]

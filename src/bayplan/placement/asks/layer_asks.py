"""Asks of a model that llama.cpp divides by layers, on cards and on the host."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardShape, Layers, Taking
from bayplan.placement.asks.backends import OFFLOADS_PARTLY
from bayplan.placement.asks.tier import Tier
from bayplan.sizing.need import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.role_on_cluster import RoleOnCluster
    from bayplan.sizing.need import Need

_A_BYTE_IN_MIB = Fraction(1, MIB)
"""The size of a layer of a model of 0 MiB: more than 0, so that a card holds a finite number of them."""

_LAYERS_UNKNOWN = "the need is unknown: give model.architecture.layers"


def counted_layers(role: RoleOnCluster, base: Ask, need: Need, count: int) -> Ask:
    """The ask of a model on the number of cards that its workload requests."""
    layers = _layers(role, need, cards=count)
    if layers is None:
        return replace(base, taking=Taking.SHARE, unknown=_LAYERS_UNKNOWN)
    if count > layers.count:
        role.warnings.append(f"gpus.count: of {count} cards only {layers.count} get a layer")
    return replace(base, taking=Taking.LAYERS, layers=layers)


def layer_tiers(role: RoleOnCluster, base: Ask, need: Need) -> Iterator[Ask]:
    """The tiers of a model whose number of cards is not said."""
    check_host_layers(role, need)
    if role.engine.gpu_layers == 0:
        return
    if kept_layers(role, need):
        yield from _with_kept_layers(role, base, need)
        return
    one = CardShape(1, need.card_mib(1, 1))
    yield replace(base, tier=Tier.ONE_GPU, taking=Taking.SHARE, shapes=(one,))
    layers = _layers(role, need)
    if layers is None:
        role.warnings.append("model.architecture.layers is not known, so the model is not divided over cards")
        return
    by_layers = replace(base, taking=Taking.LAYERS, layers=layers)
    yield replace(by_layers, tier=Tier.ONE_WORKER)
    if role.spans:
        yield replace(by_layers, tier=Tier.MANY_WORKERS, spans=True)
    if role.shape.cpu_offload and role.engine.gpu_layers is None and role.engine.name in OFFLOADS_PARTLY:
        partly = replace(by_layers, tier=Tier.PARTIAL_OFFLOAD, layers=replace(layers, partial=True))
        if role.spans:
            yield replace(partly, spans=True)
        yield partly


def _with_kept_layers(role: RoleOnCluster, base: Ask, need: Need) -> Iterator[Ask]:
    """A flag keeps some layers on the host: all other layers are on cards."""
    partly = replace(base, tier=Tier.PARTIAL_OFFLOAD, taking=Taking.LAYERS, layers=_layers(role, need))
    yield partly
    if role.spans:
        yield replace(partly, spans=True)


def _layers(role: RoleOnCluster, need: Need, cards: int | None = None) -> Layers | None:
    layer_mib = need.layer_mib
    if layer_mib is None or need.layers is None:
        return None
    kept = kept_layers(role, need)
    return Layers(need.layers - kept, layer_mib or _A_BYTE_IN_MIB, need.overhead_on(1, 1), cards, kept=kept)


def kept_layers(role: RoleOnCluster, need: Need) -> int:
    """How many layers a flag keeps on the host; 0 where it keeps none, or the number of layers is not known."""
    asked = role.engine.gpu_layers
    return 0 if asked is None or need.layers is None else max(0, need.layers - asked)


def check_host_layers(role: RoleOnCluster, need: Need, cards: int = 0) -> None:
    """Refuse a flag that keeps layers on the host where offload is not allowed, or all layers where cards are asked."""
    asked = role.engine.gpu_layers
    if asked == 0 and cards:
        message = f"this flag keeps every layer in RAM, but gpus.count asks for {cards} card{'s' * (cards > 1)}"
        raise InputError(message, place="backend.args", next="raise --gpu-layers, or leave gpus.count out")
    if (asked == 0 or kept_layers(role, need)) and not role.shape.cpu_offload:
        of_all = "" if need.layers is None else f" of {need.layers}"
        message = f"only {asked}{of_all} layers are on cards; the others stay in RAM, which the workload does not allow"
        raise InputError(message, place="backend.args", next="set cpuOffload: true, or raise --gpu-layers")

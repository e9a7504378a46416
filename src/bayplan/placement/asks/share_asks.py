"""Asks of a model that engines divide into equal shares: one card, one worker, several workers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.tier import Tier
from bayplan.sizing.divisions import allowed_for, divisions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.asks.ask import Ask, CardShape
    from bayplan.placement.asks.role_on_cluster import RoleOnCluster
    from bayplan.sizing.need import Need

_MOST_STAGES = 64
"""The most stages of a pipeline where the number of layers is not known: a bound on the divisions that are tried."""


def counted_shares(role: RoleOnCluster, base: Ask, need: Need, count: int) -> Ask:
    """The ask of a model on the number of cards that its workload requests."""
    shapes = role.card_shapes(allowed_for(need, role.engine, count))
    if not shapes:
        message = f"{role.engine.name} with these flags cannot divide the model over {count} cards"
        step = "ask for a number of cards that the model's heads allow, or drop the flag"
        raise InputError(message, place="gpus.count", next=step)
    return replace(base, taking=_taking(need), shapes=shapes)


def share_tiers(role: RoleOnCluster, base: Ask, need: Need) -> Iterator[Ask]:
    """The tiers of a model whose number of cards is not said."""
    base = replace(base, taking=_taking(need))
    shapes = role.card_shapes(divisions(need, role.engine, max(1, role.widest))) or _out_of_reach(role, need)
    one = tuple(shape for shape in shapes if shape.cards == 1)
    if one:
        yield replace(base, tier=Tier.ONE_GPU, shapes=one)
    several = tuple(shape for shape in shapes if shape.cards > 1)
    if several:
        yield replace(base, tier=Tier.ONE_WORKER, shapes=several)
    if role.spans and role.engine_spans:
        most = max(1, min(role.cards, _most_cards(role, need)))
        wide = role.card_shapes(divisions(need, role.engine, most))
        shapes = tuple(shape for shape in wide if shape.cards > 1 and role.stays_together(shape))
        if shapes:
            yield replace(base, tier=Tier.MANY_WORKERS, shapes=shapes, spans=True)


def _taking(need: Need) -> Taking:
    """An engine that takes the rest of each card for its cache needs whole cards."""
    return Taking.WHOLE if need.takes_rest else Taking.SHARE


def _out_of_reach(role: RoleOnCluster, need: Need) -> tuple[CardShape, ...]:
    """The smallest shape, where flags ask for more cards than any worker has: the refusal says how many."""
    shapes = role.card_shapes(divisions(need, role.engine, _most_cards(role, need)))
    if not shapes:
        raise InputError(
            f"{role.engine.name} cannot divide the model as its flags ask",
            place="backend.args",
            next="choose tensor and pipeline parallel sizes that divide its heads and layers",
        )
    return shapes[:1]


def _most_cards(role: RoleOnCluster, need: Need) -> int:
    """More cards are of no use: each layer on cards of its own, cut as often as a worker has cards."""
    stages = role.engine.pp or need.layers or _MOST_STAGES
    return max(1, (role.engine.tp or max(1, role.widest)) * stages * role.engine.dp)

"""Warnings about the shares of cards that the engines of a workload take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.placement.planning.engine_args.start import Start
from bayplan.placement.planning.engine_args.versions import version_warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.planning.card_states import CardState, CardStates
    from bayplan.placement.planning.plan import Plan

_FRACTION = {"vllm": "--gpu-memory-utilization", "sglang": "--mem-fraction-static"}
_GIB = 1024


def notices(plan: Plan, found: tuple[tuple[CardState, ...], ...], states: CardStates) -> list[str]:
    """Each sentence once; `found` are the cards before each replica, `states` those after all of them."""
    told: dict[str, None] = {}
    for replica, cards in zip(plan.replicas, found, strict=True):
        told.update(dict.fromkeys(_of_replica(replica, cards, states.of(replica))))
    return list(told)


def version_notices(plan: Plan) -> list[str]:
    """Of versions that cannot be read."""
    backends = [(role.engine.name, role.shape.backend) for role in plan.sized.roles if role.need is not None]
    found = [version_warning(name, backend.version) for name, backend in backends if backend is not None]
    return list(dict.fromkeys(warning for warning in found if warning is not None))


def _of_replica(replica: Replica, before: tuple[CardState, ...], after: tuple[CardState, ...]) -> Iterator[str]:
    need, engine = replica.role.need, replica.role.engine
    if need is None or need.unknown is not None or not engine.divides_layers:
        return
    start = Start(replica.role, need, replica.placed, before)
    if engine.fraction is not None:
        yield from _tight(start)
    elif not need.takes_rest and not (start.sized.shape.gpus and start.sized.shape.gpus.memory_mib):
        yield from _unused(start, after)


def _tight(start: Start) -> Iterator[str]:
    """A share that the user gave, and that leaves too little of a card."""
    cards = [card for part in start.placed.shares for card in part.booking.cards if card.mig is None]
    left = [
        state.free_mib - (state.memory_mib if card.whole else card.memory_mib or 0)
        for state, card in zip(start.cards, cards, strict=True)
        if state.free_mib >= 0
    ]
    if left and min(left) < start.headroom_mib:
        flag = _FRACTION[start.sized.engine.name]
        yield (
            f"{flag} leaves {format_mib(max(0, min(left)))} of a card free, less than the headroom of "
            f"{format_mib(start.headroom_mib)} for the driver and the engine's start; lower the flag if the engine "
            "does not start"
        )


def _unused(start: Start, after: tuple[CardState, ...]) -> Iterator[str]:
    """Cards of which the engine uses less than half, and that nothing else uses."""
    need = start.placed.shape.need_mib
    alone = [card.memory_mib for card in after if card.bookings == 1 and 2 * need < card.memory_mib]
    unused = (max(alone, default=need) - need) // _GIB
    if unused:
        yield (
            f"the engine needs {format_mib(need)} of a card, and {unused} GiB of it stay unused; "
            "write kvCache: rest to use them for its KV cache"
        )

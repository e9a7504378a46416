"""What a workload takes of a worker, as far as packing is concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.cluster.taint import repelling
from bayplan.placement.asks.ask import CardRule, Taking
from bayplan.placement.cards.card_facts import card_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy.typing as npt

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.selector import Selector
    from bayplan.cluster.taint import Taint, Toleration
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import WorkerRows

    Numbers = npt.NDArray[np.int64]

WHOLE_MILLI = 1000
NEVER_MILLI = 1 << 20
"""More than any card has: what a demand needs of workers that it may not use."""

NO_RULE = CardRule()
_COUNTED = (Taking.NOTHING, Taking.WHOLE, Taking.SHARE)


class PackingDemand(NamedTuple):
    """An amount of a host and of each of several cards, on the workers that the demand may use.

    A share of a card is in thousandths of it (`milli`), in MiB, or both.
    """

    cpu_milli: int
    ram_mib: int
    cards: int
    milli: int
    mib: int
    rule: CardRule
    selector: Selector
    tolerations: tuple[Toleration, ...]


def demand_of(ask: Ask) -> PackingDemand | None:
    """The demand behind an ask; None where it is not of the kind that packing foresees.

    Layers, MIG instances, named cards and replicas that span workers are not.
    """
    if ask.taking not in _COUNTED or ask.unknown or ask.spans or ask.selected is not None or ask.named:
        return None
    cpu, ram = ask.cpu_milli or 0, ask.ram_mib or 0
    if ask.taking is Taking.NOTHING:
        return PackingDemand(cpu, ram, 0, 0, 0, NO_RULE, ask.selector, ask.tolerations)
    shape = ask.shapes[0]
    milli = WHOLE_MILLI if ask.taking is Taking.WHOLE else ask.compute_milli
    mib = shape.room_mib if ask.taking is Taking.SHARE and ask.rule.needs_memory else 0
    return PackingDemand(cpu, ram, shape.cards, milli, mib, ask.rule, ask.selector, ask.tolerations)


def share_milli(demand: PackingDemand, memory_mib: Any) -> Any:
    """Thousandths, at least 1, that it needs of each card of that size; of unknown size what it says itself."""
    # two minus signs: // rounds up
    by_memory = -(-WHOLE_MILLI * demand.mib // np.maximum(memory_mib, 1)) * (memory_mib > 0)
    return np.maximum(max(demand.milli, 1), np.minimum(by_memory, NEVER_MILLI))


def needs_milli(demands: Sequence[PackingDemand], rows: WorkerRows) -> Numbers:
    """By demand and row, thousandths of each card that are needed, NEVER_MILLI where it may not stand there at all."""
    pools = rows.pools
    static = np.column_stack([rows.cards_id, rows.labels_id, rows.taints_id])
    distinct, which = np.unique(static, axis=0, return_inverse=True)
    found = np.empty((len(demands), len(distinct)), np.int64)
    for place, (cards, labels, taints) in enumerate(distinct.tolist()):
        worker = pools.cards[cards], pools.labels[labels], pools.taints[taints]
        found[:, place] = [_on_worker(demand, *worker) for demand in demands]
    return found[:, which.reshape(-1)]


def _on_worker(demand: PackingDemand, cards: CardSet, labels: Mapping[str, str], taints: tuple[Taint, ...]) -> int:
    if taints and repelling(taints, demand.tolerations):
        return NEVER_MILLI
    if demand.selector and not demand.selector.matches(labels):
        return NEVER_MILLI
    return _on_cards(demand, cards)


def _on_cards(demand: PackingDemand, cards: CardSet) -> int:
    if not demand.cards:
        return 0
    ranks = card_facts(demand.rule, cards).ranks
    usable = [memory for memory, rank in zip(cards.memory_mib, ranks, strict=True) if rank >= 0]
    return int(share_milli(demand, max(usable))) if usable else NEVER_MILLI

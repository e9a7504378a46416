"""What is expected to come to a cluster, and the prices that follow from it: made in epochs, read by scorers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.selector import Selector
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.cards.rows import GatheredRows
from bayplan.placement.packing.demand import NEVER_MILLI, WHOLE_MILLI, PackingDemand, needs_milli
from bayplan.placement.packing.room_left import READS, room_left

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.table import Table
    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.packing.mix import Mix
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]

SAMPLES, LENGTH = 32, 80
"""How many futures are looked at, and how many workloads come in each."""

STEPS = 16
"""How many workloads stand for what may come next."""

FINE = 1 << 16
"""Parts of a thousandth of a card in which worths are counted: whole numbers, so that every order of addition gives
the same sum.
"""

LOST_CARDS = 1000
"""What a workload costs where it does not fit, as packing counts it: more than anything that does."""

CLASS_WEIGHT = 0.15
SCARCITY_WEIGHT = 1.0
UNSEEN_LARGE, UNSEEN_INSISTING = 0.5, 3.0
"""How many workloads count as seen for each large number of cards, and for each model that a workload may insist on."""

TYPICAL = 0.95
"""The part of all workloads that typical demands make up."""

_NOBODY = 0
"""The kind of a worker that the outlook does not know: its line of needs says that nothing fits."""

_STATIC = ("cards_id", "labels_id", "taints_id", "uid_hash", "card_model_id")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Outlook:
    """A value that all rows share and that never changes.

    Demands are numbered, workers too: those of one kind may hold the same demands. `need_milli` says by kind and
    demand what is needed of each card. `futures` are the numbers of demands in the order in which they may come, and
    `future_milli`, by kind, what they need of each card; a demand that fits a less scarce kind skips the scarcer
    ones. `steps` are demands that may come next. `price` is what room for one more of a demand is worth, in units of
    `unit` to a whole card, `scarcity` what a card of a kind is worth beyond any other, FINE being as much again.
    `typical` are frequencies of the commonest demands.
    """

    cpu_milli: Numbers
    ram_mib: Numbers
    cards: Numbers
    need_milli: Numbers
    futures: Numbers
    future_milli: Numbers
    steps: Numbers
    price: Numbers
    scarcity: Numbers
    typical: FloatArray
    uids: Numbers
    kinds: Numbers

    @property
    def unit(self) -> int:
        return WHOLE_MILLI * FINE * len(self.futures)

    def kind_of(self, uid_hash: Numbers) -> Numbers:
        """The kind of each worker; one that was not there when the outlook was made is of a kind of its own."""
        if not len(self.uids):
            return np.zeros(len(uid_hash), np.int64)
        # an unknown uid may sort behind the last one
        places = np.minimum(self.uids.searchsorted(uid_hash), len(self.uids) - 1)
        return np.where(self.uids[places] == uid_hash, self.kinds[places], _NOBODY)


def look_out(mix: Mix, table: Table, epoch: int = 0) -> Outlook | None:
    """The outlook for a mix on a table as it stands; None where no cards are asked for.

    The futures of an epoch are always the same. What only the mix's doubt expects comes in none of them, and has a
    price.
    """
    weights = mix.weights()
    if not any(demand.cards and weight for demand, weight in weights.items()) or not table.size:
        return None
    rows = GatheredRows(table.size, table.shared["pools"], {name: table.columns[name] for name in (*READS, *_STATIC)})
    demands = [*weights, *(_insisting(rows) if mix.doubt else ())]
    chances = np.array([weights.get(demand, 0.0) for demand in demands])
    needs = needs_milli(demands, rows)
    distinct, kinds = np.unique(needs.T, axis=0, return_inverse=True)
    need = np.concatenate([np.full((1, len(demands)), NEVER_MILLI), distinct])  # line 0 is _NOBODY: nothing fits there
    kinds = kinds.reshape(-1) + 1  # 0 is _NOBODY
    order = rows.uid_hash.argsort(kind="stable")
    market = _Market(demands, need, kinds, room_left(rows), chances, mix.doubt)
    scarcity = market.scarcity()
    chance = np.random.default_rng(epoch)
    futures = draw(chances, chance)
    return Outlook(
        cpu_milli=market.cpu, ram_mib=market.ram, cards=market.cards, need_milli=need, futures=futures,
        future_milli=steer(futures, need, scarcity, market.free > 0.0, chance), steps=steps(chances),
        price=market.prices(), scarcity=np.asarray(scarcity * FINE, np.int64), typical=typical(chances),
        uids=rows.uid_hash[order], kinds=kinds[order],
    )  # fmt: skip


def _insisting(rows: WorkerRows) -> Iterator[PackingDemand]:
    """For each model of cards a workload that insists on it."""
    for number in np.unique(rows.card_model_id).tolist():
        if number >= 0:
            rule = CardRule(models=(rows.pools.models[number],))
            yield PackingDemand(0, 0, 1, WHOLE_MILLI, 0, rule, Selector(), ())


def draw(chances: FloatArray, chance: np.random.Generator) -> Numbers:
    """Futures in which every demand comes as often as its frequency says, as nearly as whole numbers allow."""
    count = SAMPLES * LENGTH
    drawn = chance.permutation((np.arange(count) + chance.random()) / count)
    return _numbers(chances, drawn).reshape(SAMPLES, LENGTH)


def steps(chances: FloatArray) -> Numbers:
    """Demands that stand for all, each for an equal part of what may come."""
    return _numbers(chances, (np.arange(STEPS) + 0.5) / STEPS)


def _numbers(chances: FloatArray, drawn: FloatArray) -> Numbers:
    bounds = np.cumsum(chances)
    # chances may sum to a little less than 1
    return bounds.searchsorted(drawn, side="right").clip(max=len(chances) - 1)


def steer(
    futures: Numbers, need: Numbers, scarcity: FloatArray, there: BoolArray, chance: np.random.Generator
) -> Numbers:
    """By kind what each demand to come needs of a card, NEVER_MILLI where it goes elsewhere.

    The scarcer a kind is than the least scarce that a demand may use, the likelier it stays away.
    """
    allowed = (need <= WHOLE_MILLI) & there[:, None]
    least = np.where(allowed, scarcity[:, None], np.inf).min(0)
    away = chance.random(futures.shape) < (scarcity[:, None] - least)[:, futures]
    return np.where(away, NEVER_MILLI, need[:, futures])


def typical(chances: FloatArray) -> FloatArray:
    """The frequencies of the commonest demands that together make up enough; 0 for the others."""
    order = np.argsort(-chances, kind="stable")
    # floats may miss TYPICAL by a digit
    kept = order[: int(np.searchsorted(np.cumsum(chances[order]), TYPICAL - 1e-12)) + 1]
    found = np.zeros(len(chances))
    found[kept] = chances[kept] / chances[kept].sum()
    return found


class _Market:
    """Demand against what is left, for prices."""

    def __init__(
        self,
        demands: Sequence[PackingDemand],
        need: Numbers,
        kinds: Numbers,
        room: Room,
        chances: FloatArray,
        doubt: float,
    ) -> None:
        self.cpu = np.array([demand.cpu_milli for demand in demands], np.int64)
        self.ram = np.array([demand.ram_mib for demand in demands], np.int64)
        self.cards = np.array([demand.cards for demand in demands], np.int64)
        self.need, self.kinds, self.room, self.doubt = need, kinds, room, doubt
        sizes = np.where(need > WHOLE_MILLI, WHOLE_MILLI, need).min(0) * self.cards
        self.sizes = sizes / max((chances * sizes).sum(), 1e-12)  # never a division by 0
        self.demand = chances * self.sizes
        self.unseen = chances == 0.0
        self.free = np.bincount(kinds, room.milli.sum(1), len(need))

    def prices(self) -> Numbers:
        """What room for one more is worth: the demand that is to come, over the room that is left for it.

        Only for demands of several cards: what is lost of smaller ones the futures show.
        """
        scale = CLASS_WEIGHT * FINE * SAMPLES * self.free.sum()
        expected = self.demand + UNSEEN_LARGE * self.unseen * self.doubt * self.sizes
        found = np.zeros(len(self.cards), np.int64)
        for number in np.flatnonzero(self.cards > 1).tolist():
            found[number] = int(scale * expected[number] / max(1, self.places_left(number)))
        return found

    def places_left(self, number: int) -> int:
        """How many of a demand the cluster would hold."""
        room, need = self.room, self.need[self.kinds, number]
        counts = (room.milli >= need[:, None]).sum(1) // self.cards[number]
        for free, asked in ((room.cpu_milli, self.cpu[number]), (room.ram_mib, self.ram[number])):
            if asked:
                counts = np.minimum(counts, free // asked)
        return int(counts.sum())

    def scarcity(self) -> FloatArray:
        """Of each kind: the demand that may use only some kinds, over the part of what is free that it may use.

        The more workloads insist on anything, the likelier some will on what none has asked for yet.
        """
        found = np.zeros(len(self.need))
        allowed = (self.need <= WHOLE_MILLI) & (self.cards > 0)
        whole = self.free.sum()
        insists = (self.cards > 0) & ~allowed[self.free > 0].all(0)
        expected = self.demand + UNSEEN_INSISTING * self.unseen * self.doubt * self.demand[insists].sum() * self.sizes
        for number in np.flatnonzero(insists).tolist():
            usable = self.free[allowed[:, number]].sum()
            if usable > 0.0:
                found[allowed[:, number]] += expected[number] * whole / usable
        return SCARCITY_WEIGHT * found

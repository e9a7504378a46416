"""Replicas that span workers: domains as candidates, made from what a run of the profile on the workers found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.topology import LEVELS, Level
from bayplan.framework.cycle import Key
from bayplan.framework.table import Table
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.cards.choose import look
from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.cards.room import holds
from bayplan.placement.constraints.cost_sum import NOTHING_SPENT, SPENT
from bayplan.placement.decision.fewest_workers import fewest_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import FloatArray, IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.constraints.cost_sum import Spent

    Numbers = npt.NDArray[Any]
    Totals = Callable[[Ask, Table | Fork, Cycle], FloatArray]

SOURCE = "domains"
MOST_DOMAINS = 256
"""Domains of a level that become candidates: each costs a search for its workers. The tightest ones are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class DomainOffer:
    """What one domain would give: cards of one kind, with their number on each worker; or layers on single cards."""

    table: Table | Fork
    shape: CardShape
    workers: tuple[tuple[int, int], ...]
    kind: int
    score: float
    layers: tuple[tuple[int, int, int], ...] = ()
    host: int | None = None


class _Room(NamedTuple):
    """Of one model, the units of cards that each row could give, and how many units are wanted."""

    shape: CardShape
    kind: int
    unit: int
    units: Numbers
    wanted: int


OFFERS: Key[tuple[DomainOffer, ...]] = Key("offers of domains")


def worker_ask(ask: Ask, shape: CardShape | None = None) -> Ask:
    """What is asked of each worker that might take part: that it can give one card, or one layer."""
    if ask.layers is not None:
        return replace(ask, layers=replace(ask.layers, partial=True, cards=None), spans=True)
    least = shape or min(ask.shapes, key=lambda each: each.room_mib, default=CardShape(1))
    return replace(ask, shapes=(_one_card(least),), spans=True, copies=1)


def _layers_ask(ask: Ask, count: int, cards: int) -> Ask:
    """What is asked of a worker that holds so many layers on so many cards."""
    layers = ask.layers
    assert layers is not None  # noqa: S101 (called for asks by layers only)
    return replace(ask, layers=replace(layers, count=count, cards=cards, kept=0, partial=False), spans=True)


def _one_card(shape: CardShape) -> CardShape:
    """What the shape puts on a card, whatever becomes of the others."""
    return replace(shape, cards=1, tp=1, pp=1, dp=1, unit=1, splits=False)


class WorkerDomains:
    """The domains in which the replica fits, innermost level first; without topology the whole cluster is one.

    The order of preference and of shapes has been followed already: all rows of the table give the same shape.
    """

    name = SOURCE

    def __init__(self, snapshot: Snapshot, totals: Totals) -> None:
        self._snapshot = snapshot
        self._totals = totals

    def candidates(self, ask: Ask, table: Any, cycle: Cycle) -> Table:
        search = _Search(ask, table, self._snapshot, lambda asked: self._totals(asked, table, cycle), cycle.subject)
        offers = tuple(search.offers())
        cycle.put(OFFERS, offers)
        scores = np.array([offer.score for offer in offers], np.float64)
        return Table(
            static={"domain_score": scores},
            keys=[",".join(self._snapshot.workers[row].name for row, _ in offer.workers[:3]) for offer in offers],
        )


class _Search:
    """One look for domains."""

    def __init__(
        self,
        ask: Ask,
        table: Table | Fork,
        snapshot: Snapshot,
        totals: Callable[[Ask], FloatArray],
        subject: Subject,
    ) -> None:
        self.ask, self.table, self.snapshot, self.totals, self.subject = ask, table, snapshot, totals, subject
        least = worker_ask(ask)
        self.rows: IndexArray = np.flatnonzero(totals(least) != -np.inf)
        self.seen: Any = look(least, table, self.rows) if len(self.rows) else None

    def offers(self) -> Iterator[DomainOffer]:
        if not len(self.rows):
            return
        yield from self._by_layers() if self.ask.taking is Taking.LAYERS else self._by_shapes()

    def _by_shapes(self) -> list[DomainOffer]:
        """By preference of models, then by shape; models of equal rank are compared with each other."""
        seen = self.seen
        usable = seen.card_rank >= 0
        # runtime and model in one number; + 1 because an unknown model is -1
        kinds = np.where(usable, (seen.card_runtime_id.astype(np.int64) << 32) | (seen.card_model_id + 1), -1)
        ranked: dict[int, list[int]] = {}
        for rank, kind in _pairs(seen.card_rank[usable], kinds[usable]):
            ranked.setdefault(int(rank), []).append(int(kind))
        for _, alike in sorted(ranked.items()):
            for shape in self.ask.shapes:
                if found := self._nearest(shape, [(kind, kinds == kind) for kind in sorted(alike)]):
                    return found
        return []

    def _nearest(self, shape: CardShape, kinds: Sequence[tuple[int, Numbers]]) -> list[DomainOffer]:
        """What the domains of the innermost level give at which some domain has enough cards of one model."""
        rooms = [room for kind, cards in kinds if (room := self._room(shape, kind, cards)) is not None]
        if not rooms:
            return []
        scores = self.totals(worker_ask(self.ask, shape))
        for level in (*reversed(LEVELS), None):  # the innermost first; None is the whole cluster
            offers = (self._offer(room, rows, scores) for room in rooms for rows in self._slices(room, level))
            if found := [offer for offer in offers if offer is not None]:
                return found
        return []

    def _room(self, shape: CardShape, kind: int, cards: Numbers) -> _Room | None:
        """How many cards of one model each worker could give; None where all together are too few."""
        # no worker has a whole unit: single cards
        unit = 1 if shape.splits and shape.unit > cards.sum(1).max() else shape.unit
        units = np.zeros(self.table.size, np.int64)
        held = holds(self.ask, shape, self.seen.card_room, self.seen.card_memory_mib)
        units[self.rows] = (held & cards).sum(1) // unit
        wanted = shape.cards // unit
        return _Room(shape, kind, unit, units, wanted) if units.sum() >= wanted else None

    def _slices(self, room: _Room, level: Level | None) -> list[slice]:
        """The rows of the domains of a level that have room enough; without a level, all rows."""
        if level is None:
            return [slice(0, self.table.size)]
        domains = self.snapshot.domains[level]
        sums = domains.sums(room.units)
        enough = np.flatnonzero(sums >= room.wanted)
        tightest = enough[np.argsort(sums[enough], kind="stable")][:MOST_DOMAINS]
        return [domains.rows(int(number)) for number in tightest]

    def _offer(self, room: _Room, rows: slice, scores: FloatArray) -> DomainOffer | None:
        """The fewest workers of a domain that suffice and that the workload can pay for; None where there are none."""
        units = room.units[rows]
        workers, left = _fewest(units, scores[rows], room.wanted), self._left_usd_per_hour
        if left is not None and sum(self._prices[rows.start + place] for place, _ in workers) > left:
            workers = fewest_within(units, self._prices[rows], room.wanted, left)
        if not workers:
            return None
        used = tuple((rows.start + place, number * room.unit) for place, number in workers)
        score = float(np.mean([scores[row] for row, _ in used]))
        return DomainOffer(self.table, room.shape, used, room.kind, score)

    @cached_property
    def _left_usd_per_hour(self) -> float | None:
        """What the workload may still spend; None where it has no limit."""
        limit = self.ask.max_usd_per_hour
        return None if limit is None else self._spent.left(limit)

    @cached_property
    def _spent(self) -> Spent:
        return self.subject.constraint(SPENT) or NOTHING_SPENT

    @cached_property
    def _prices(self) -> FloatArray:
        """What each worker would cost; workers that the workload uses already cost nothing more."""
        columns = self.snapshot.table.columns
        return self._spent.prices(columns["uid_hash"], columns["usd_per_hour"])

    def _affordable(self, workers: Sequence[tuple[int, int]]) -> bool:
        """Whether all these workers together stay below the limit; each of them alone has passed the filters."""
        left = self._left_usd_per_hour
        return left is None or bool(sum(self._prices[row] for row, _ in workers) <= left)

    def _domains(self, spread: Numbers, wanted: int) -> Iterator[list[tuple[int, int]]]:
        """The slices of rows with room enough, level by level, the whole cluster last."""
        for level in reversed(LEVELS):
            domains = self.snapshot.domains[level]
            sums = domains.sums(spread)
            enough = np.flatnonzero(sums >= wanted)
            if len(enough):
                tightest = enough[np.argsort(sums[enough], kind="stable")][:MOST_DOMAINS]
                slices = [domains.rows(int(number)) for number in tightest]
                yield [(each.start, each.stop) for each in slices]
        yield [(0, len(spread))]

    def _by_layers(self) -> list[DomainOffer]:
        layers = self.ask.layers
        assert layers is not None  # noqa: S101 (called for asks by layers only)
        usable = (self.seen.card_rank >= 0) & self._of_one_runtime()
        free = np.where(usable, np.maximum(self.seen.card_room, 0), 0)
        room = (free - layers.overhead_mib) * layers.layer_mib.denominator // layers.layer_mib.numerator
        room = np.minimum(np.maximum(room, 0), layers.count)
        total = int(room.sum())
        if layers.partial:
            return self._partly(room, free) if total else []
        spread = np.zeros(self.table.size, np.int64)
        spread[self.rows] = room.sum(1)
        if total < layers.count:
            return []
        fewest = len(self._largest(room, 0, self.table.size, layers.count))
        if layers.cards is not None:
            if fewest > layers.cards:
                return []
            fewest = layers.cards
        for domains in self._domains(spread, layers.count):
            found = (self._largest(room, start, stop, layers.count, layers.cards) for start, stop in domains)
            offers = [self._layer_offer(cards, free, layers.kept) for cards in found if len(cards) == fewest]
            if possible := [offer for offer in offers if offer is not None]:
                return possible
        return []

    def _of_one_runtime(self) -> Numbers:
        """Of each worker the cards of the runtime with the most room: no process drives cards of two makers."""
        runtimes = self.seen.card_runtime_id
        room = np.where(self.seen.card_rank >= 0, np.maximum(self.seen.card_room, 0), 0)
        kinds = np.unique(runtimes)
        amounts = np.stack([np.where(runtimes == kind, room, 0).sum(1) for kind in kinds], 1)
        return np.asarray(runtimes == kinds[amounts.argmax(1)][:, None])

    def _largest(
        self, room: Numbers, start: int, stop: int, wanted: int, cards: int | None = None
    ) -> list[tuple[int, int]]:
        """The fewest cards (place among the seen rows, position) in these rows that hold `wanted` layers."""
        inside = (self.rows >= start) & (self.rows < stop)
        amounts = np.where(inside[:, None], room, 0)
        order = np.argsort(-amounts, axis=None, kind="stable")  # axis None: places are row × width + position
        held = np.cumsum(amounts.reshape(-1)[order])
        number = int(np.searchsorted(held, wanted)) + 1  # the shortest run of largest cards that holds `wanted`
        if cards is not None:
            number = cards if number <= cards <= int((amounts > 0).sum()) else 0
        width = room.shape[1]
        return [(int(place) // width, int(place) % width) for place in order[:number]]

    def _layer_offer(self, cards: list[tuple[int, int]], free: Numbers, on_host: int) -> DomainOffer | None:
        """These cards; where layers stay on a host, that is the worker with the most RAM."""
        places = sorted(cards)
        host = self._host({place for place, _ in places}, on_host) if on_host else None
        if on_host and host is None:
            return None
        rows = sorted({int(self.rows[place]) for place, _ in places})
        layers = tuple((int(self.rows[place]), position, int(free[place, position])) for place, position in places)
        used = tuple((row, sum(each == row for each, _, _ in layers)) for row in rows)
        offer = DomainOffer(self.table, CardShape(len(layers)), used, -1, self._layer_score(layers), layers, host)
        return offer if self._affordable(used) else None

    def _layer_score(self, cards: Sequence[tuple[int, int, int]]) -> float:
        """The mean over the workers, each scored for as many layers and cards as it gives."""
        layers = self.ask.layers
        assert layers is not None  # noqa: S101 (called for asks by layers only)
        parts: dict[int, tuple[int, int]] = {}
        for (row, _, _), held in zip(cards, layer_cards.shares(layers, [free for _, _, free in cards]), strict=True):
            former = parts.get(row, (0, 0))
            parts[row] = (former[0] + held, former[1] + 1)
        whatever = self.totals(worker_ask(self.ask))
        scores = {part: self.totals(_layers_ask(self.ask, *part)) for part in set(parts.values()) if part[0]}
        found = [float(scores.get(part, whatever)[row]) for row, part in parts.items()]
        # What a worker holds in part may pass no filter by itself: then what it could hold alone counts.
        return float(
            np.mean([whatever[row] if score == -np.inf else score for score, row in zip(found, parts, strict=True)])
        )

    def _host(self, places: set[int], on_host: int) -> int | None:
        layers = self.ask.layers
        assert layers is not None  # noqa: S101 (called for asks by layers only)
        needed = layers.host_mib(on_host) + (self.ask.ram_mib or 0)
        host = max(places, key=lambda place: int(self.seen.ram_free_mib[place]))
        return int(self.rows[host]) if int(self.seen.ram_free_mib[host]) >= needed else None

    def _partly(self, room: Numbers, free: Numbers) -> list[DomainOffer]:
        """All that the cluster can hold; the rest stays on a host."""
        layers = self.ask.layers
        assert layers is not None  # noqa: S101 (called for asks by layers only)
        held = int(room.sum())
        cards = self._largest(room, 0, self.table.size, min(held, layers.count))
        offer = self._layer_offer(cards, free, max(0, layers.count - held))
        return [] if offer is None else [offer]


def _pairs(ranks: Numbers, kinds: Numbers) -> Any:
    return np.unique(np.stack([ranks.astype(np.int64), kinds], 1), axis=0).tolist() if len(ranks) else ()


def _fewest(units: Numbers, scores: FloatArray, wanted: int) -> list[tuple[int, int]]:
    """The fewest workers that give `wanted` units: the roomiest first, last the best-scored one that suffices."""
    left = wanted
    chosen: list[tuple[int, int]] = []
    order = sorted(np.flatnonzero(units).tolist(), key=lambda place: (-units[place], -scores[place], place))
    while order:
        enough = [place for place in order if units[place] >= left]
        if enough:
            last = max(enough, key=lambda place: (scores[place], -units[place], -place))
            return sorted([*chosen, (last, left)])
        place = order.pop(0)
        chosen.append((place, int(units[place])))
        left -= int(units[place])
    return chosen

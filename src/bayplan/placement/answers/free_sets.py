"""What is free on a cluster, as usable sets of cards: by model, by worker, by what joins them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import STATUSES, UNKNOWN
from bayplan.cluster.topology import LEVELS
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.cards.mig.free_instances import free_slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.table import Table
    from bayplan.placement.cards.mig.free_instances import FreeProfile

    Counts = npt.NDArray[np.int64]

SIZES = (1, 2, 4, 8)
"""The numbers of whole cards that people ask for."""


@dataclass(frozen=True, slots=True)
class SetKind:
    """Workers that could each give the same whole cards; `islands` are the sizes of what NVLink joins among them.

    None where the links are not described.
    """

    cards: int
    islands: tuple[int, ...] | None
    workers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Census:
    """Where the cards are: every card is counted in exactly one of these."""

    whole: int = 0
    shared: int = 0
    held: int = 0
    mig: int = 0
    unhealthy: int = 0
    closed: int = 0
    """On workers that take no new work."""

    @property
    def cards(self) -> int:
        return self.whole + self.shared + self.held + self.mig + self.unhealthy + self.closed


@dataclass(frozen=True, slots=True)
class Memory:
    """What is free in MiB. Cards of unknown size are not counted; None where no size is known.

    `stranded_mib` is free on cards that others share: no request for whole cards can use it.
    """

    free_mib: int | None = 0
    stranded_mib: int | None = 0
    largest_free_mib: int | None = None

    @property
    def fragmentation(self) -> float | None:
        """The stranded part of what is free; None where nothing is."""
        return self.stranded_mib / self.free_mib if self.free_mib and self.stranded_mib is not None else None


@dataclass(frozen=True, slots=True)
class FreeCards:
    """What is free of one model; model None over all: sets there are of any cards of one worker."""

    runtime: str | None
    model: str | None
    memory_mib: int | None
    """Of the smallest card whose size is known."""
    census: Census
    memory: Memory
    workers_with: tuple[int, ...]
    """For each of SIZES, how many workers could give that number of whole cards."""
    largest: tuple[tuple[str, int], ...]
    """The most whole cards within one worker, and within one domain of each level that is named."""
    sets: tuple[SetKind, ...]
    places: int = 0
    """Of cards that are offered in places, on open workers."""
    free_places: int = 0


@dataclass(frozen=True, slots=True)
class SharedCard:
    """A card of which a part is in use; `places` is None where it is not offered in places."""

    worker: str
    runtime: str
    index: int
    model: str | None
    memory_mib: int | None
    free_mib: int | None
    free_percent: float
    places: int | None = None
    free_places: int | None = None


@dataclass(frozen=True, slots=True)
class FreeGpus:
    """The whole answer."""

    models: tuple[FreeCards, ...]
    total: FreeCards
    shared: tuple[SharedCard, ...]
    mig_slices: tuple[tuple[str, int], ...]
    """Free instances of no known card, by profile."""
    mig: tuple[FreeProfile, ...] = ()


def free_sets(snapshot: Snapshot, table: Table | Fork | None = None) -> FreeGpus:
    """Count what is free on a snapshot, or on a fork of its table."""
    counting = _Counting(snapshot, snapshot.table if table is None else table)
    models = [counting.of(*kind) for kind in counting.kinds]
    models.sort(key=lambda each: (-each.census.whole, -each.census.cards, each.model or ""))
    mig = free_slices(counting.c, snapshot.pools)
    shared = tuple(counting.shared_cards())
    return FreeGpus(tuple(models), counting.of(None, None), shared, counting.mig_slices(), mig)


class _Counting:
    """The columns that matter, each card in one class; a question about a model is a mask over them."""

    def __init__(self, snapshot: Snapshot, table: Table | Fork) -> None:
        self.snapshot, self.pools = snapshot, snapshot.pools
        rows = np.arange(len(snapshot.workers), dtype=np.intp)
        self.c: dict[str, Any] = table.gather(_COLUMNS, rows)
        width = self.c["card_model_id"].shape[1]
        self.there: BoolArray = np.arange(width) < self.c["card_count"][:, None]
        open_ = (self.c["status"] == STATUSES.index(WorkerStatus.READY))[:, None]
        self.classes = self._classes(open_)
        self.whole, self.shared = self.classes["whole"], self.classes["shared"]

    def _classes(self, open_: BoolArray) -> dict[str, BoolArray]:
        """The first class that a card is in, in this order."""
        c, left, classes = self.c, self.there.copy(), {}
        tests = {
            "closed": ~open_ & left,
            "unhealthy": ~c["card_healthy"],
            "mig": c["card_mig_enabled"] | (c["card_mig_taken"] > 0),
            "held": c["card_wholes"] > 0,
            "whole": c["card_wholly_free"],
            "shared": left,
        }
        for name, test in tests.items():
            classes[name] = left & test
            left = left & ~test
        return classes

    @property
    def kinds(self) -> list[tuple[int, int]]:
        """The cards that there are, as numbers of runtime and model."""
        pairs = np.stack([self.c["card_runtime_id"][self.there], self.c["card_model_id"][self.there]], axis=1)
        return [(int(runtime), int(model)) for runtime, model in np.unique(pairs, axis=0)]

    def of(self, runtime: int | None, model: int | None) -> FreeCards:
        """Of one kind of card, or of all."""
        mask = self.there
        if model is not None:
            mask = mask & (self.c["card_model_id"] == model) & (self.c["card_runtime_id"] == runtime)
        sizes = self.c["card_memory_mib"][mask]
        known = sizes[sizes >= 0]
        whole = mask & self.whole
        counts: Counts = whole.sum(axis=1)
        return FreeCards(
            runtime=None if runtime is None else self.pools.runtimes[runtime],
            model=None if model is None or model == UNKNOWN else self.pools.models[model],
            memory_mib=int(known.min()) if known.size else None,
            census=Census(**{name: int((mask & kind).sum()) for name, kind in self.classes.items()}),
            memory=self._memory(mask),
            workers_with=tuple(int((counts >= size).sum()) for size in SIZES),
            largest=tuple(self._largest(counts)),
            sets=tuple(self._sets(whole, counts)),
            places=int((self.c["card_places"] * (mask & (self.whole | self.shared))).sum()),
            free_places=int((self._free_places * (mask & (self.whole | self.shared))).sum()),
        )

    @property
    def _free_places(self) -> Counts:
        """HAMi counts places beside memory and compute; elsewhere a place is a part of both."""
        unheld = (self.c["card_places"] - self.c["card_places_held"]) * self.c["card_shareable"]
        free: Counts = np.where(self.c["closes_full"][:, None], unheld, self.c["card_places_free"])
        return free

    def _memory(self, mask: BoolArray) -> Memory:
        free = self.c["card_free_mib"]
        known = mask & (free >= 0)
        whole, shared = free[known & self.whole], free[known & self.shared]
        usable = np.concatenate([whole, shared])
        if not usable.size and (mask & (self.whole | self.shared)).any():
            return Memory(None, None)
        return Memory(int(usable.sum()), int(shared.sum()), int(usable.max()) if usable.size else None)

    def _largest(self, counts: Counts) -> Iterator[tuple[str, int]]:
        yield "worker", int(counts.max()) if counts.size else 0
        for level in LEVELS:
            domains = self.snapshot.domains[level]
            if len(domains):
                yield str(level), int(domains.sums(counts).max())

    def _sets(self, whole: BoolArray, counts: Counts) -> list[SetKind]:
        """Equal masks of equal workers are computed once."""
        rows = np.flatnonzero(counts)
        if not rows.size:
            return []
        links = self.c["links_id"][rows].astype("<i4")
        keys = np.concatenate([links.view(np.uint8).reshape(-1, 4), np.packbits(whole[rows], axis=1)], axis=1)
        _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        kinds: dict[tuple[int, tuple[int, ...] | None], list[int]] = {}
        for number, row in enumerate(rows[first]):
            positions = np.flatnonzero(whole[row]).tolist()
            alike = rows[which.reshape(-1) == number].tolist()
            kinds.setdefault((len(positions), self._islands(int(row), positions)), []).extend(alike)
        found = [
            SetKind(cards, islands, tuple(self.snapshot.workers[row].name for row in alike))
            for (cards, islands), alike in kinds.items()
        ]
        return sorted(found, key=lambda each: (-each.cards, [-size for size in each.islands or ()]))

    def _islands(self, row: int, positions: Sequence[int]) -> tuple[int, ...] | None:
        number = int(self.c["links_id"][row])
        return None if number == UNKNOWN else islands(self.pools.links[number], positions)

    def shared_cards(self) -> Iterator[SharedCard]:
        """Every card of which a part is in use, the one with the most free first."""
        free, places = self.c["card_free_mib"], self._free_places
        found = np.argwhere(self.shared)
        for row, position in found[np.argsort(-free[self.shared], kind="stable")].tolist():
            worker = self.snapshot.workers[row]
            gpu, free_mib = worker.gpus[position], int(free[row, position])
            yield SharedCard(
                worker=worker.name,
                runtime=gpu.runtime,
                index=gpu.index,
                model=gpu.model,
                memory_mib=gpu.memory_mib,
                free_mib=None if free_mib == UNKNOWN else free_mib,
                free_percent=int(self.c["card_free_milli"][row, position]) / 10,
                places=gpu.places,
                free_places=None if gpu.places is None else int(places[row, position]),
            )

    def mig_slices(self) -> tuple[tuple[str, int], ...]:
        """Free instances of no known card."""
        ready = self.c["status"] == STATUSES.index(WorkerStatus.READY)
        free = self.c["loose_free"][ready].sum(axis=0)
        return tuple((profile, int(free[number])) for number, profile in enumerate(self.pools.profiles))


def islands(links: LinkMatrix, positions: Sequence[int]) -> tuple[int, ...]:
    """The sizes of what NVLink joins among these cards, largest first; a path through others does not count."""
    rest, sizes = sum(1 << position for position in positions), []
    while rest:
        edge = island = rest & -rest
        while edge:
            lowest = edge & -edge
            fresh = links.nvlink_neighbours[lowest.bit_length() - 1] & rest & ~island
            island |= fresh
            edge = (edge ^ lowest) | fresh
        sizes.append(island.bit_count())
        rest &= ~island
    return tuple(sorted(sizes, reverse=True))


_COLUMNS = (
    "card_count",
    "card_cuttable",
    "card_free_mib",
    "card_free_milli",
    "card_healthy",
    "card_memory_mib",
    "card_mig_enabled",
    "card_mig_id",
    "card_mig_taken",
    "card_model_id",
    "card_places",
    "card_places_free",
    "card_places_held",
    "card_runtime_id",
    "card_wholes",
    "card_shareable",
    "card_wholly_free",
    "closes_full",
    "links_id",
    "loose_free",
    "status",
)

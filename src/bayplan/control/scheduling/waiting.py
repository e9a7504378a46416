"""The queue: units that wait for a place. A refused unit sleeps until an event happens that could cure its refusal."""

from __future__ import annotations

import heapq
import logging
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from bayplan.cluster.events import ALL_EVENTS
from bayplan.placement.planning.queue_order import Waiting as Place, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bayplan.cluster.workload import Workload
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.scheduling.units import Unit, UnitKey

    SortKey = Callable[["Waiting"], tuple[Any, ...]]

_EVERY = frozenset(ALL_EVENTS)
_log = logging.getLogger("bayplan.scheduling")


@dataclass(slots=True)
class Told:
    """What was said last about a unit, when, and on which Pods."""

    reason: str = ""
    message: str = ""
    at_s: float = 0.0
    pods: set[PodName] = field(default_factory=set)


@dataclass(slots=True)
class Waiting:
    """A unit in the queue, and what became of its last try."""

    unit: Unit
    since_s: float
    workload: Workload | None = None
    priority: int = 0
    """Until the workload is read: what its documents seem to say."""
    first_attempt_s: float | None = None
    failed_s: float | None = None
    attempts: int = 0
    verdict: str = ""
    """Of the last try: waiting, infeasible, partly, blocked or error; empty before the first."""
    message: str = ""
    record: str = ""
    """The id of the record of the last try."""
    rejections: list[dict[str, Any]] = field(default_factory=list)
    told: Told = field(default_factory=Told)
    cures: frozenset[str] = _EVERY
    ready: bool = False
    ready_s: float = 0.0
    """Since when it can be tried."""

    @property
    def pods(self) -> int:
        return len(self.unit.pods)


def default_key(waiting: Waiting) -> tuple[Any, ...]:
    """Higher priority first, then age; a gang that failed goes behind others of its priority."""
    if waiting.workload is None:
        return -waiting.priority, waiting.since_s, waiting.unit.key.namespace, waiting.unit.key.name
    return place_of(Place(waiting.workload, waiting.first_attempt_s, waiting.failed_s))


class WaitingUnits:
    """All units with pending Pods; `next` gives the one to try, in the order of the queue.

    The place of a unit is worked out when the next one is asked for: by then everything is known that the order needs.
    """

    def __init__(self, key: SortKey = default_key, prepare: Callable[[Waiting], None] = lambda _: None) -> None:
        """`prepare` is called with each unit before its place is worked out."""
        self._key, self._prepare = key, prepare
        self._waiting: dict[UnitKey, Waiting] = {}
        self._heap: list[tuple[tuple[Any, ...], int, Waiting]] = []
        self._fresh: list[Waiting] = []  # ready, and not in the heap yet
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._waiting)

    def sort_by(self, key: SortKey) -> None:
        """Order the queue in another way from now on."""
        self._key = key
        self._heap, self._fresh = [], [each for each in self._waiting.values() if each.ready]

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._waiting.values())

    def get(self, key: UnitKey) -> Waiting | None:
        return self._waiting.get(key)

    def ordered(self) -> list[Waiting]:
        """As people see the queue: in the order in which units are tried."""
        for each in self._waiting.values():
            self._prepare(each)
        try:
            return sorted(self._waiting.values(), key=self._key)
        except Exception as error:
            self._distrust(error)
            return sorted(self._waiting.values(), key=default_key)

    def join(self, key: UnitKey, make: Callable[[], Unit], since_s: float) -> Waiting:
        """The place of a unit in the queue; it is new where the unit had none."""
        found = self._waiting.get(key)
        if found is None:
            found = self._waiting[key] = Waiting(make(), since_s)
        return found

    def leave(self, key: UnitKey) -> None:
        """A unit has no pending Pods any more."""
        if (found := self._waiting.pop(key, None)) is not None:
            found.ready = False

    def make_ready(self, waiting: Waiting, now: float) -> None:
        """Try a unit when it is its turn."""
        if not waiting.ready:
            waiting.ready, waiting.ready_s = True, now
            self._fresh.append(waiting)

    def wake(self, events: Iterable[str], now: float) -> int:
        """Make all units ready that one of these events could help; how many."""
        happened = frozenset(events)
        woken = 0
        if happened:
            for each in self._waiting.values():
                if not each.ready and each.verdict and not each.cures.isdisjoint(happened):
                    self.make_ready(each, now)
                    woken += 1
        return woken

    def next(self) -> Waiting | None:
        """The first unit that is ready; it is not ready any more."""
        if self._fresh:
            self._sort_in()
        while self._heap:
            *_, waiting = heapq.heappop(self._heap)
            if waiting.ready:
                waiting.ready = False
                return waiting
        return None

    def _sort_in(self) -> None:
        fresh, self._fresh = self._fresh, []
        try:
            for each in fresh:
                if each.ready:
                    self._prepare(each)
                    heapq.heappush(self._heap, (self._key(each), next(self._numbers), each))
        except Exception as error:
            if self._key is default_key:
                raise
            self._distrust(error)
            self._sort_in()

    def _distrust(self, error: Exception) -> None:
        """A queue-sort that fails, or whose keys cannot be compared, must not stop the queue."""
        _log.error("the queue-sort fails, and the order of the queue is the usual one: %r", error)
        self.sort_by(default_key)

    @property
    def has_ready(self) -> bool:
        """Whether `next` has anything to give; it may still find that the units have left."""
        return bool(self._heap or self._fresh)

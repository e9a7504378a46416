"""Which models may be placed otherwise after what has happened: only these are decided anew."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.identity import WorkloadKey


class Doubts:
    """Models in the order of application.

    A model that has all its replicas stays where it is until something happens to itself: it prefers its own server
    and the replicas that have it. One that lacks replicas (`short`) is decided again whenever something was freed.
    """

    def __init__(self) -> None:
        self._doubtful: dict[WorkloadKey, int] = {}
        self._short: dict[WorkloadKey, int] = {}
        self._freed = False
        self._queue: list[tuple[int, WorkloadKey]] | None = None
        self._reached = -1

    def doubt(self, key: WorkloadKey, order: int) -> None:
        """Something happened to this model; before its turn it is decided in this step, after it in the next."""
        self._doubtful[key] = order
        if self._queue is not None and order > self._reached:
            heappush(self._queue, (order, key))

    def freed(self) -> None:
        """Something was freed that others may use."""
        self._freed = True

    def found(self, key: WorkloadKey, order: int, *, short: bool) -> None:
        """A decision was made; `short`: the model does not have all its replicas."""
        if short:
            self._short[key] = order
        else:
            self._short.pop(key, None)

    def is_short(self, key: WorkloadKey) -> bool:
        """Whether the model lacks replicas."""
        return key in self._short

    def forget(self, key: WorkloadKey) -> None:
        """The model is not decided any more."""
        self._doubtful.pop(key, None)
        self._short.pop(key, None)

    def turns(self) -> Iterator[WorkloadKey]:
        """The models to decide now, in order; models that become doubtful meanwhile are among them if they are due."""
        waiting = {**self._doubtful, **(self._short if self._freed else {})}
        self._freed = False
        self._queue = [(order, key) for key, order in waiting.items()]
        heapify(self._queue)
        self._reached = -1
        while self._queue:
            order, key = heappop(self._queue)
            if order == self._reached:  # pushed twice
                continue
            self._reached = order
            self._doubtful.pop(key, None)
            yield key
        self._queue = None
        self._reached = -1

"""Which models are in the memory of a replica: with overcommitment more are booked than fit at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.books.server_book import ReplicaBook


class Residency:
    """The least recently used model leaves the memory of a replica first; a request for it brings it back.

    A model is used when it is loaded and when it serves a request.
    """

    def __init__(self) -> None:
        self._used: dict[ModelReplica, int] = {}
        self._clock = 0

    def __contains__(self, model: ModelReplica) -> bool:
        return model in self._used

    def use(self, model: ModelReplica, book: ReplicaBook) -> list[ModelReplica]:
        """The model is in memory and was just used; others that had to leave memory for it are returned."""
        evicted = [] if model in self._used else self._make_room(model, book)
        self._clock += 1
        self._used[model] = self._clock
        return evicted

    def forget(self, models: Iterable[ModelReplica]) -> None:
        """These bookings are gone."""
        for model in models:
            self._used.pop(model, None)

    def _make_room(self, model: ModelReplica, book: ReplicaBook) -> list[ModelReplica]:
        memory_mib = book.replica.memory_mib
        if memory_mib is None:
            return []
        others = sorted((each for each in book.models if each in self._used), key=self._used.__getitem__)
        most_mib = memory_mib - book.replica.reserved_mib
        resident_mib = model.memory_mib + sum(each.memory_mib for each in others)
        evicted = []
        for each in others:
            if resident_mib <= most_mib:
                break
            del self._used[each]
            resident_mib -= each.memory_mib
            evicted.append(each)
        return evicted

"""When loads and unloads that failed are tried again: after a pause that doubles each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.model_replica import ModelReplica

    Where = tuple[WorkloadKey, int, str, int]
    """One version of a model on one server replica."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 10.0, 300.0
"""The agent of a server has tried several times before it says that a load failed."""
_FAILED = frozenset({LoadState.LOAD_FAILED, LoadState.UNLOAD_FAILED})
_MOST = 10_000  # failures that are remembered; forgetting one costs an early retry


class Retries:
    """Remembers how often each booking failed, and when it is due."""

    def __init__(self) -> None:
        self._failures: dict[Where, int] = {}
        self._due_s: dict[ModelReplica, float] = {}

    def note(self, model: ModelReplica, now: float) -> None:
        """Look at a booking; a failure that is new gets its time."""
        if model.state not in _FAILED:
            self._due_s.pop(model, None)
        elif model not in self._due_s:
            if len(self._failures) >= _MOST:
                self._failures.clear()
            where = _where(model)
            failures = self._failures[where] = self._failures.get(where, 0) + 1
            self._due_s[model] = now + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures - 1, 10))

    def succeeded(self, model: ModelReplica) -> None:
        """The next failure counts as the first."""
        self._failures.pop(_where(model), None)

    def next_s(self) -> float | None:
        """When the first of them is due; None where nothing failed."""
        return min(self._due_s.values(), default=None)

    def due(self, bookings: Iterable[ModelReplica], now: float) -> list[ModelReplica]:
        """The failed bookings whose time has come; those that are gone are forgotten."""
        present = [each for each in bookings if each.state in _FAILED]
        self._due_s = {each: self._due_s.get(each, now) for each in present}
        found = [each for each, due_s in self._due_s.items() if due_s <= now]
        for each in found:
            del self._due_s[each]
        return found


def _where(model: ModelReplica) -> Where:
    return model.key, model.version, model.server, model.index

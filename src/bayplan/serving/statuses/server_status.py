"""The state of a server: how many of its replicas are connected, and how many models they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from bayplan.serving.books.server_book import ServerBook

_LOADED = frozenset({LoadState.LOADED, LoadState.AVAILABLE, LoadState.LOADED_UNAVAILABLE, LoadState.DRAINING})


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`loaded_models` counts bookings: a model on two replicas counts twice."""

    replicas: int
    expected_replicas: int
    loaded_models: int = 0

    @property
    def ready(self) -> bool:
        """Whether all expected replicas are connected, and at least one is expected."""
        return 0 < self.expected_replicas <= self.replicas


def server_status(book: ServerBook) -> ServerStatus:
    """The status of a server that is in the ledger."""
    loaded = sum(each.state in _LOADED for replica in book.replicas.values() for each in replica.models)
    return ServerStatus(len(book.replicas), book.expected, loaded)

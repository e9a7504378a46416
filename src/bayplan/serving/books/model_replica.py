"""One replica of a model in the ledger: a serving booking whose state changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import HERE, HOLDING, LEAVING, LoadState, ServingBooking

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey

Place = tuple[str, int]
"""A server replica: the name of the server and the index of the replica."""


class ModelReplica:
    """A booking that the ledger holds. Only the ledger changes it; two of them are equal if they are the same object.

    `number` counts bookings: the earlier booking has the lower number.
    """

    __slots__ = ("dedicated", "index", "instances", "key", "memory_mib", "number", "server", "state", "version")

    def __init__(self, booking: ServingBooking, number: int) -> None:
        self.key: WorkloadKey = booking.key
        self.version = booking.version
        self.server = booking.server
        self.index = booking.replica
        self.memory_mib = booking.memory_mib
        self.state: LoadState = booking.state
        self.instances = booking.instances
        self.dedicated = booking.dedicated
        self.number = number

    def __repr__(self) -> str:
        return f"<{self.key} v{self.version} on {self.server}/{self.index}: {self.state}>"

    @property
    def place(self) -> Place:
        return self.server, self.index

    @property
    def here(self) -> bool:
        """Whether the model is on the server replica, or on its way there."""
        return self.state in HERE

    @property
    def leaving(self) -> bool:
        """Whether the model is on its way out."""
        return self.state in LEAVING

    @property
    def holding(self) -> bool:
        """Whether it holds memory."""
        return self.state in HOLDING

    @property
    def booking(self) -> ServingBooking:
        """The booking as it is now."""
        return ServingBooking(
            self.key.name,
            self.server,
            self.index,
            self.version,
            self.memory_mib,
            self.state,
            self.instances,
            self.dedicated,
            self.key.namespace,
        )

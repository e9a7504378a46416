"""A server and its replicas in the ledger: what there is, and what is held."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.server import Server, ServerReplica
    from bayplan.serving.books.model_replica import ModelReplica


@dataclass(slots=True, eq=False)
class ReplicaBook:
    """One connected server replica; `models` are its bookings in order, `held_mib` the memory of those that hold."""

    replica: ServerReplica
    models: list[ModelReplica] = field(default_factory=list)
    held_mib: int = 0

    @property
    def free_mib(self) -> int | None:
        """Memory for one more model; None where the memory is not known."""
        return self.free_with(self.held_mib)

    def free_with(self, held_mib: int) -> int | None:
        """What would be free if models held so much.

        Overcommitment lets a replica hold more models than fit at once, but no model that does not fit by itself.
        """
        memory_mib = self.replica.memory_mib
        if memory_mib is None:
            return None
        left_mib = memory_mib * (100 + self.replica.overcommit_percent) // 100 - held_mib
        return max(0, min(memory_mib, left_mib) - self.replica.reserved_mib)

    @property
    def empty_mib(self) -> int | None:
        """Memory for a model if there were no booking."""
        memory_mib = self.replica.memory_mib
        return None if memory_mib is None else max(0, memory_mib - self.replica.reserved_mib)

    @property
    def empty(self) -> bool:
        """Whether no model is here or leaving."""
        return not any(model.holding for model in self.models)


@dataclass(slots=True, eq=False)
class ServerBook:
    """One server: its replicas by index, and by model the number of bookings that hold memory on it.

    `version` is the ledger's version of the last change on this server.
    """

    server: Server
    replicas: dict[int, ReplicaBook]
    holders: Counter[WorkloadKey] = field(default_factory=Counter)
    version: int = 0

    @classmethod
    def of(cls, server: Server) -> ServerBook:
        """The book of a server without bookings; replicas in the order of their indexes."""
        found = {each.index: ReplicaBook(each) for each in sorted(server.replicas, key=lambda each: each.index)}
        return cls(replace(server, replicas=()), found)

    @property
    def expected(self) -> int:
        """How many replicas there should be."""
        given = self.server.expected
        return len(self.replicas) if given is None else given

    @property
    def deleted(self) -> bool:
        """Whether the server is being deleted."""
        return self.server.expected == 0

    @property
    def staying(self) -> dict[int, ReplicaBook]:
        """The replicas that are not draining."""
        return {index: each for index, each in self.replicas.items() if not each.replica.draining}

    @property
    def noun(self) -> Server:
        """The server as it is now."""
        return replace(self.server, replicas=tuple(each.replica for each in self.replicas.values()))

    def connect(self, replica: ServerReplica) -> None:
        """One more replica; the order of indexes stays."""
        self.replicas[replica.index] = ReplicaBook(replica)
        self.replicas = dict(sorted(self.replicas.items()))

    def drain(self, index: int) -> None:
        """The replica takes no new model from now on."""
        book = self.replicas[index]
        book.replica = replace(book.replica, draining=True)

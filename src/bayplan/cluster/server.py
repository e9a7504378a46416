"""A server that holds many models at once, and its replicas."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.cluster.places import repeated
from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError


@dataclass(frozen=True, slots=True)
class ServerReplica:
    """One connected replica, with everything that it takes over from its server; memory None is not known."""

    index: int
    memory_mib: int | None = None
    capabilities: tuple[str, ...] = ()
    overcommit_percent: int = 0
    reserved_mib: int = 0
    draining: bool = False

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "index": self.index,
                "memory": self.memory_mib,
                "overcommitPercent": self.overcommit_percent,
                "reserved": self.reserved_mib,
            }
        )


@dataclass(frozen=True, slots=True)
class Server:
    """What a Cluster document says of one server.

    `capabilities`, `memory_mib` and `overcommit_percent` are those of a further replica. `min_replicas` and
    `max_replicas` are None where the document gives none; `expected` is None where as many are expected as are
    connected, and 0 where the server is being deleted.
    """

    name: str
    shared: bool = True
    capabilities: tuple[str, ...] = ()
    memory_mib: int | None = None
    overcommit_percent: int = 0
    min_replicas: int | None = None
    max_replicas: int | None = None
    expected: int | None = None
    replicas: tuple[ServerReplica, ...] = ()

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "memory": self.memory_mib,
                "overcommitPercent": self.overcommit_percent,
                "minReplicas": self.min_replicas,
                "maxReplicas": self.max_replicas,
                "expectedReplicas": self.expected,
            }
        )
        if again := repeated(replica.index for replica in self.replicas):
            number, index = again
            message = f"two replicas have the index {index}"
            raise InputError(message, place=f"replicas[{number}].index", next="give each replica its own index")
        low, high = self.min_replicas, self.max_replicas
        if low is not None and high is not None and low > high:
            message = f"{low} is more than maxReplicas, which is {high}"
            raise InputError(message, place="minReplicas", next="raise one or lower the other")

    def replica(self, index: int) -> ServerReplica:
        """A new replica as the server describes it."""
        return ServerReplica(index, self.memory_mib, self.capabilities, self.overcommit_percent)

    @property
    def expected_replicas(self) -> int:
        """How many replicas there should be."""
        return len(self.replicas) if self.expected is None else self.expected

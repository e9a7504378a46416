"""A server replica: a running process that loads models beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.cluster.quantities import refuse_negative


@dataclass(frozen=True, slots=True)
class ServerReplica:
    """One replica of a server, as it last reported itself.

    `available_mib` is what it reports free, `reserved_mib` what was promised to models that are still loading.
    """

    server: str
    index: int
    capabilities: frozenset[str] = frozenset()
    memory_mib: int = 0
    available_mib: int = 0
    reserved_mib: int = 0
    overcommit_percent: float = 0.0
    loaded: frozenset[str] = frozenset()
    loading: frozenset[str] = frozenset()
    draining: bool = False
    shared: bool = True

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "index": self.index,
                "memory": self.memory_mib,
                "availableMemory": self.available_mib,
                "reservedMemory": self.reserved_mib,
                "overCommit": self.overcommit_percent,
            }
        )

    @property
    def free_mib(self) -> int:
        """What another model may take."""
        return max(0, self.available_mib - self.reserved_mib)

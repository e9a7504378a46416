"""Identity of workloads, gangs and replicas: a name is unique only inside its namespace."""

from __future__ import annotations

from typing import NamedTuple

DEFAULT_NAMESPACE = "default"
"""The namespace of whatever names none, as in Kubernetes."""


class WorkloadKey(NamedTuple):
    """One workload: two of the same name in two namespaces are strangers."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return _written(self.namespace, self.name)


class GangKey(NamedTuple):
    """One gang, by the name that its members' bookings give."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return _written(self.namespace, self.name)


class ReplicaKey(NamedTuple):
    """One replica of a workload, written NAME#NUMBER: a slash would read like a namespace."""

    namespace: str
    name: str
    replica: int

    @property
    def workload(self) -> WorkloadKey:
        return WorkloadKey(self.namespace, self.name)

    def __str__(self) -> str:
        return f"{_written(self.namespace, self.name)}#{self.replica}"


def _written(namespace: str, name: str) -> str:
    """As people read it: a namespace is said where it is not the default one."""
    return name if namespace == DEFAULT_NAMESPACE else f"{namespace}/{name}"

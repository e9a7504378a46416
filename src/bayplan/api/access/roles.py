"""Roles: three for people and programs, for some namespaces or all, and one for workers; the rest is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

EVERYWHERE = "*"
_READS = frozenset({"get", "list", "watch"})
_WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_VERBS = _READS | _WRITES
_REVIEWS = frozenset({"selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"})
"""What each user may ask about itself."""
_SHARED = frozenset(
    {"nodes", "priorityclasses", "customresourcedefinitions", "noderesourcetopologies", "schedulerconfigs"}
)
"""Kinds of no namespace that a token for some namespaces reads too; a Cluster names the bookings of all of them."""


class Role(StrEnum):
    """What a token may do."""

    ADMIN = "admin"
    EDITOR = "editor"
    VIEWER = "viewer"
    WORKER = "worker"


PURPOSES = {
    Role.ADMIN: "everything, in its namespaces; with all namespaces also Nodes, tokens and other objects of none",
    Role.EDITOR: "reads and changes the objects in its namespaces, but binds no Pods; reads Nodes",
    Role.VIEWER: "reads the objects in its namespaces, but no Secrets; reads Nodes",
    Role.WORKER: "runs the Pods of the worker that is called like the token, and nothing else",
}


@dataclass(frozen=True, slots=True)
class Permission:
    """What a request needs to be allowed; `namespace` is empty for objects of no namespace, or of all of them."""

    verb: str
    plural: str
    group: str = ""
    namespace: str = ""
    namespaced: bool = True
    subresource: str = ""
    name: str = ""
    node: str = ""
    """Of a list or watch of Pods: the node whose Pods alone are asked for."""


@dataclass(frozen=True, slots=True)
class User:
    """Who a request comes from, and what it may do."""

    name: str
    role: Role
    namespaces: tuple[str, ...] = (EVERYWHERE,)

    @property
    def everywhere(self) -> bool:
        """Whether it may ask about all namespaces at once; a worker asks about its own Pods alone."""
        return EVERYWHERE in self.namespaces and self.role is not Role.WORKER

    def speaks_for(self, worker: str) -> bool:
        """Whether it may act as that worker: its own token does, and an administrator's."""
        return self.rules_all or (self.role is Role.WORKER and self.name == worker)

    @property
    def rules_all(self) -> bool:
        """Whether it is an administrator of all namespaces."""
        return self.role is Role.ADMIN and self.everywhere

    def refusal(self, wanted: Permission) -> str:
        """Why it may not do this; empty where it may."""
        if wanted.plural in _REVIEWS and wanted.verb == "create":
            return ""
        if wanted.verb not in _VERBS:
            return f"no role knows the verb {wanted.verb[:40]!r}"
        if self.role is Role.WORKER:
            return self._of_worker(wanted)
        if not wanted.namespaced:
            return self._of_no_namespace(wanted)
        if not self.everywhere and wanted.namespace not in self.namespaces:
            where = f"namespace {wanted.namespace!r}" if wanted.namespace else "all namespaces at once"
            return f"its token is for {', '.join(self.namespaces)} and not for {where}"
        return self._by_role(wanted)

    def _of_worker(self, wanted: Permission) -> str:
        """It lists Pods, those of its own node alone, and reads its Node; all else goes through /v1/workers."""
        if wanted.verb in _READS and not wanted.group and not wanted.subresource:
            lists_own = wanted.plural == "pods" and not wanted.name and wanted.node == self.name
            if lists_own or (wanted.plural == "nodes" and wanted.name == self.name):
                return ""
        return f"a worker's token reads the Pods of its own node: fieldSelector spec.nodeName={self.name}"

    def _of_no_namespace(self, wanted: Permission) -> str:
        if wanted.verb not in _READS:
            return "" if self.rules_all else "objects of no namespace need an admin's token for all namespaces"
        if self.everywhere or wanted.plural in _SHARED:
            return ""
        if wanted.plural == "namespaces" and wanted.name in self.namespaces:
            return ""
        return f"its token is for {', '.join(self.namespaces)} and not for all namespaces"

    def _by_role(self, wanted: Permission) -> str:
        binds = wanted.subresource == "binding" or wanted.plural == "bindings"
        if self.role is Role.ADMIN or (self.role is Role.EDITOR and not binds):
            return ""
        if self.role is Role.EDITOR:
            return "Pods are bound by an admin's token, as the scheduler does"
        if wanted.verb in _WRITES:
            return "a viewer's token reads only"
        return "a viewer's token reads no Secrets" if wanted.plural == "secrets" and not wanted.group else ""


LOCAL = User("local", Role.ADMIN)
"""Who everybody is on a server without tokens, which listens on the loopback address only."""
ANONYMOUS = User("anonymous", Role.VIEWER, ())
"""Who asks without a token, on the few paths that need none; it may read nothing else."""

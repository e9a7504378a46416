"""Three roles, each for some namespaces or all of them; what no role allows is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

EVERYWHERE = "*"
_READS = frozenset({"get", "list", "watch"})
_WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_VERBS = _READS | _WRITES
_REVIEWS = frozenset({"selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"})
"""What each user may ask about itself."""


class Role(StrEnum):
    """What a token may do."""

    ADMIN = "admin"
    EDITOR = "editor"
    VIEWER = "viewer"


PURPOSES = {
    Role.ADMIN: "everything, in its namespaces; with all namespaces also Nodes, tokens and other objects of none",
    Role.EDITOR: "reads everything and changes the objects in its namespaces; reads objects of no namespace",
    Role.VIEWER: "reads objects in its namespaces and those of no namespace, but no Secrets",
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


@dataclass(frozen=True, slots=True)
class User:
    """Who a request comes from, and what it may do."""

    name: str
    role: Role
    namespaces: tuple[str, ...] = (EVERYWHERE,)

    @property
    def everywhere(self) -> bool:
        return EVERYWHERE in self.namespaces

    def refusal(self, wanted: Permission) -> str:
        """Why it may not do this; empty where it may."""
        if wanted.plural in _REVIEWS and wanted.verb == "create":
            return ""
        if wanted.verb not in _VERBS:
            return f"no role knows the verb {wanted.verb[:40]!r}"
        if not wanted.namespaced:
            return self._of_no_namespace(wanted)
        if not self.everywhere and wanted.namespace not in self.namespaces:
            where = f"namespace {wanted.namespace!r}" if wanted.namespace else "all namespaces at once"
            return f"its token is for {', '.join(self.namespaces)} and not for {where}"
        return self._by_role(wanted)

    def _of_no_namespace(self, wanted: Permission) -> str:
        if wanted.verb in _READS:
            names_namespace = wanted.plural == "namespaces" and wanted.verb == "get"
            if names_namespace and not self.everywhere and wanted.name not in self.namespaces:
                return f"its token is for {', '.join(self.namespaces)}"
            return ""
        if self.role is Role.ADMIN and self.everywhere:
            return ""
        return "objects of no namespace are changed with an admin's token for all namespaces"

    def _by_role(self, wanted: Permission) -> str:
        if self.role is Role.ADMIN or (self.role is Role.EDITOR and wanted.subresource != "binding"):
            return ""
        if self.role is Role.EDITOR:
            return "Pods are bound by an admin's token, as the scheduler does"
        if wanted.verb in _WRITES:
            return "a viewer's token reads only"
        return "a viewer's token reads no Secrets" if wanted.plural == "secrets" and not wanted.group else ""


LOCAL = User("local", Role.ADMIN)
"""Who everybody is on a server without tokens, which listens on the loopback address only."""

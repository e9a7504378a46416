"""One kind of object that the API serves: its names, the APIs it is served under, and what Bayplan does with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from bayplan.control.store import Collection


class Support(StrEnum):
    """What happens to an object of a kind beyond being kept."""

    ACTED_ON = "acted on"
    STORED = "stored"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Api:
    """An API group and version, `apps` and `v1`; the group of the core kinds is empty."""

    group: str
    version: str

    def __str__(self) -> str:
        """As `apiVersion` spells it."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class Subresource:
    """A part of an object with a path of its own, and the kind of document that is read or written there."""

    name: str
    verbs: tuple[str, ...]
    api: Api | None = None
    kind: str = ""
    """`api` and `kind` are absent where the document is the object itself."""


EVERY_VERB = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CREATE_ONLY = ("create",)
_CHANGED = ("get", "patch", "update")

STATUS = Subresource("status", _CHANGED)
SCALE = Subresource("scale", _CHANGED, Api("autoscaling", "v1"), "Scale")
BINDING = Subresource("binding", CREATE_ONLY, Api("", "v1"), "Binding")
EVICTION = Subresource("eviction", CREATE_ONLY, Api("policy", "v1"), "Eviction")
LOG = Subresource("log", ("get",))


_KUBERNETES = frozenset(
    {"", "apps", "batch", "policy", "events.k8s.io", "scheduling.k8s.io", "coordination.k8s.io", "apiextensions.k8s.io"}
)


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each, and it is a key of caches
class ResourceType:
    """A kind of object. It is stored as the first of `apis` says; the others are other names of the same objects."""

    kind: str
    plural: str
    apis: tuple[Api, ...]
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = EVERY_VERB
    subresources: tuple[Subresource, ...] = ()
    support: Support = Support.ACTED_ON
    reason: str = ""
    """What Bayplan does with it, or why it does nothing: one clause for users."""

    @property
    def storage(self) -> Api:
        return self.apis[0]

    @property
    def group(self) -> str:
        """The group of the stored objects."""
        return self.apis[0].group

    @property
    def singular(self) -> str:
        return self.kind.lower()

    @property
    def full_name(self) -> str:
        """Unique among all kinds: `models.neuronetes.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def collection(self) -> Collection:
        """Where a store keeps the objects."""
        return _collection(self)

    @property
    def is_kubernetes(self) -> bool:
        """Whether it is a kind of Kubernetes itself, for which strategic merge patches exist."""
        return self.group in _KUBERNETES

    @property
    def stored(self) -> bool:
        """Whether objects of the kind are kept; reviews are answered and forgotten."""
        return "get" in self.verbs

    def subresource(self, name: str) -> Subresource | None:
        return next((each for each in self.subresources if each.name == name), None)

    def served_by(self, group: str, version: str | None = None) -> Api | None:
        """The API of that group (and version) under which it is served."""
        return next((each for each in self.apis if each.group == group and version in (None, each.version)), None)


@cache  # there are as many as kinds
def _collection(kind: ResourceType) -> Collection:
    return Collection(kind.group, kind.plural, kind.namespaced, kind.subresource("status") is not None)

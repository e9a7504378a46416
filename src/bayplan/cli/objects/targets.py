"""The objects that the words of a command line name: KIND, KIND NAME…, KIND/NAME…, several kinds with commas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from bayplan.cli.errors import USAGE
from bayplan.control.resources.registry import REGISTRY
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.resources.resource_type import Api, ResourceType

DEFAULT = "default"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@dataclass(frozen=True, slots=True)
class Target:
    """Objects of one kind: one by its name, or, without a name, all of a namespace or of every one."""

    resource: ResourceType
    namespace: str = ""
    name: str = ""
    api: Api | None = None

    @property
    def path(self) -> str:
        """The path of the API."""
        api = self.api or self.resource.storage
        root = f"/apis/{api.group}/{api.version}" if api.group else f"/api/{api.version}"
        within = f"/namespaces/{quote(self.namespace, safe='')}" if self.namespace else ""
        return f"{root}{within}/{self.resource.plural}" + (f"/{quote(self.name, safe='')}" if self.name else "")

    @property
    def reference(self) -> str:
        """As kubectl names it: pod/web, deployment.apps/web."""
        group = f".{self.resource.group}" if self.resource.group else ""
        kind = f"{self.resource.singular}{group}"
        return f"{kind}/{self.name}" if self.name else kind

    @property
    def place(self) -> str:
        """As errors name it, with its namespace where that is not the default one."""
        where = f" in namespace {self.namespace}" if self.namespace not in ("", DEFAULT) else ""
        return self.reference + where

    def named(self, name: str, namespace: str = "") -> Target:
        """One object of the same kind."""
        return Target(self.resource, namespace or self.namespace, name, self.api)


def resolve_kind(text: str) -> ResourceType:
    """The kind that a user means; only kinds whose objects are stored."""
    found = REGISTRY.resolve(text)
    if not found.stored:
        raise InputError(f"objects of kind {found.kind} are not stored", place="kind", next="name another kind")
    return found


def targets_of(words: Sequence[str], namespace: str | None, *, everywhere: bool = False) -> list[Target]:
    """What the words name, in their order; kinds without a name mean all objects of the kind."""
    if not words:
        raise _missing()
    if any("/" in word for word in words):
        return [_slashed(word, namespace) for word in words]
    kinds = [kind for each in words[0].split(",") if each for kind in _kinds(each)]
    if not kinds:
        raise _missing()
    names = words[1:]
    if names and everywhere:
        message = "names cannot be looked up in every namespace"
        raise InputError(message, place="-A", next="leave the names out, or name a namespace: -n NAMESPACE", code=USAGE)
    return [
        Target(kind, _namespace(kind, namespace, everywhere=everywhere), name)
        for kind in kinds
        for name in names or [""]
    ]


def one_target(words: Sequence[str], namespace: str | None, command: str) -> Target:
    """The one object that the words name."""
    found = targets_of(words, namespace)
    if len(found) != 1 or not found[0].name:
        raise InputError("name one object", place=command, next=f"write {command} KIND/NAME", code=USAGE)
    return found[0]


def _kinds(text: str) -> list[ResourceType]:
    """The kind of that name, or all kinds of a category such as `all`."""
    if not REGISTRY.named(text):
        of_category = [each for each in REGISTRY.kinds if text.lower() in each.categories]
        if of_category:
            return of_category
    return [resolve_kind(text)]


def _slashed(word: str, namespace: str | None) -> Target:
    kind, _, name = word.partition("/")
    if not (kind and name) or "/" in name:
        message = f"{word[:80]!r} is not of the form KIND/NAME"
        raise InputError(message, place="name", next="write every object as KIND/NAME, or KIND NAME…", code=USAGE)
    resource = resolve_kind(kind)
    return Target(resource, _namespace(resource, namespace, everywhere=False), name)


def _namespace(resource: ResourceType, given: str | None, *, everywhere: bool) -> str:
    if not resource.namespaced or everywhere:
        return ""
    return given or DEFAULT


def _missing() -> InputError:
    return InputError("KIND is missing", place="kind", next="write KIND, KIND NAME, or KIND/NAME", code=USAGE)

"""What a URL asks for: the paths of Kubernetes, `/api/v1/namespaces/NS/pods/NAME/log` and `/apis/GROUP/VERSION/…`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from urllib.parse import unquote


class Verb(StrEnum):
    """What is done to objects, in the words that Kubernetes uses for authorization."""

    GET = "get"
    LIST = "list"
    WATCH = "watch"
    CREATE = "create"
    UPDATE = "update"
    PATCH = "patch"
    DELETE = "delete"
    DELETE_COLLECTION = "deletecollection"


_OF_ONE = {"GET": Verb.GET, "HEAD": Verb.GET, "POST": Verb.CREATE, "PUT": Verb.UPDATE, "PATCH": Verb.PATCH}
_OF_ONE |= {"DELETE": Verb.DELETE}
_OF_MANY = {"GET": Verb.LIST, "HEAD": Verb.LIST, "POST": Verb.CREATE, "DELETE": Verb.DELETE_COLLECTION}
_LONGEST = 512  # characters of a path that is remembered, so that hostile ones cannot fill the memory
_NAMESPACE_PARTS = ("status", "finalize")  # what /api/v1/namespaces/NS/… may name beside a kind


@dataclass(frozen=True, slots=True)
class ObjectPath:
    """Objects that a URL names; `name` is empty for a whole collection, `namespace` for all namespaces."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watched: bool = False  # the old form /watch/, which some clients still send

    @property
    def group_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def verb(self, method: str, *, watch: bool) -> Verb | None:
        """What a method does here; None where Kubernetes has no such request."""
        if self.name:
            if method == "POST" and not self.subresource:
                return None
            return Verb.WATCH if watch and method == "GET" else _OF_ONE.get(method)
        found = _OF_MANY.get(method)
        return Verb.WATCH if found is Verb.LIST and watch else found


def parse_path(path: str) -> ObjectPath | None:
    """The objects of a URL's path; None where it is no path of objects, such as discovery."""
    return _remembered(path) if len(path) <= _LONGEST else _parsed(path)


@lru_cache(maxsize=4_096)
def _remembered(path: str) -> ObjectPath | None:
    return _parsed(path)


def _parsed(path: str) -> ObjectPath | None:
    parts = path.strip("/").split("/")
    if "%" in path:
        parts = [unquote(part) for part in parts]
    match parts:
        case ["api", version, *rest] if rest:
            return _objects("", version, rest)
        case ["apis", group, version, *rest] if rest:
            return _objects(group, version, rest)
    return None


def _objects(group: str, version: str, rest: list[str]) -> ObjectPath | None:
    if not all(rest):
        return None  # an empty namespace would mean all of them
    watched = rest[0] == "watch" and len(rest) > 1
    if watched:
        rest = rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (len(rest) == 3 and rest[2] in _NAMESPACE_PARTS):
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3:
        return None
    plural, name, subresource = (*rest, "", "")[:3]
    return ObjectPath(group, version, plural, namespace, name, subresource, watched)

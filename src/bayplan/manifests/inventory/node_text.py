"""The labels, annotations and resources of a Kubernetes Node, and the paths of their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bayplan.framework.errors import InputError
from bayplan.manifests.paths import spell

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
V = TypeVar("V")


class Remark(NamedTuple):
    """A warning for every Node of a kind; warnings with the same `alike` are counted together."""

    path: str
    message: str
    alike: str = ""


@dataclass(frozen=True, slots=True)
class NodeText:
    """The texts of a Node; `offered` are its allocatable resources, under the path `offered_place`."""

    labels: dict[str, str]
    annotations: dict[str, str]
    offered: dict[str, Any]
    offered_place: str
    remarks: list[Remark] = field(default_factory=list)

    def written(self, key: str) -> tuple[str, str] | None:
        """The value of a key that people write as an annotation or a label, and its path."""
        value = self.annotations.get(key)
        if value:
            return value, annotation(key)
        value = self.labels.get(key)
        return (value, label(key)) if value else None

    def remark(self, path: str, message: str, alike: str = "") -> None:
        self.remarks.append(Remark(path, message, alike))

    def attempt(self, path: str, read: Callable[[V, str], T], value: V) -> T | None:
        """The value as `read` parses it; None and a remark where it fails, because anyone may write labels."""
        try:
            return read(value, path)
        except InputError as error:
            self.remark(error.place or path, f"{error.message}; it is ignored", "unreadable")
            return None


@lru_cache(maxsize=1024)
def label(key: str) -> str:
    """The path of a label."""
    return spell(("metadata", "labels", key))


@lru_cache(maxsize=1024)
def annotation(key: str) -> str:
    """The path of an annotation."""
    return spell(("metadata", "annotations", key))


def resource(place: str, key: str) -> str:
    """The path of a resource: `status.allocatable["nvidia.com/gpu"]`."""
    return f"{place}{spell((key,))}" if "/" in key else f"{place}.{key}"

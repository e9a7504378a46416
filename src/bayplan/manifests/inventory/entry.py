"""One object of an inventory, and safe access to its fields, which may hold anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError
from bayplan.manifests.paths import split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.paths import Step
    from bayplan.manifests.reader import Document

NOTHING: dict[str, Any] = {}
"""What an absent mapping reads as; it is shared, so it must never be written to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An object with the place where it stands.

    Readers name fields relative to the object, as constants; the full place is made only when it is printed.
    """

    data: dict[str, Any]
    kind: str
    document: Document
    steps: tuple[Step, ...] = ()

    def place(self, path: str = "") -> str:
        """`FILE:LINE: items[3].status.allocatable`."""
        return self.document.place((*self.steps, *split(path)))

    def located(self, error: InputError) -> InputError:
        """The same error, with its place from the file down."""
        return InputError(error.message, place=self.place(error.place), next=error.next)


def mapping(holder: dict[str, Any], key: str, place: str) -> dict[str, Any]:
    """The mapping under a key; empty where there is none."""
    value = holder.get(key)
    if value is None:
        return NOTHING
    if type(value) is not dict:
        raise InputError(f"{shown(value)} is no mapping", place=place, next="write KEY: VALUE pairs, or leave it out")
    if not _all_texts(value):  # no file holds other keys, but a dict of a library call may
        odd = next(key for key in value if not isinstance(key, str))
        raise InputError(f"the key {shown(odd)} is no text", place=place, next="write it in quotes")
    return value


def listed(holder: dict[str, Any], key: str, place: str) -> list[Any]:
    """The list under a key; empty where there is none."""
    value = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise InputError(f"{shown(value)} is no list", place=place, next="write a list, or leave it out")
    return list(value)


def mappings(holder: dict[str, Any], key: str, place: str) -> list[dict[str, Any]]:
    """The list of mappings under a key."""
    found = listed(holder, key, place)
    for number, value in enumerate(found):
        if type(value) is not dict:
            where = f"{place}[{number}]"
            raise InputError(f"{shown(value)} is no mapping", place=where, next="write KEY: VALUE pairs")
    return found


def text(holder: dict[str, Any], key: str, place: str) -> str:
    """The text under a key; empty where there is none."""
    value = holder.get(key)
    if value is None:
        return ""
    if type(value) is not str:
        raise InputError(f"{shown(value)} is no text", place=place, next="write it in quotes, or leave it out")
    return value


def name_of(holder: dict[str, Any], place: str, key: str = "name") -> str:
    """The name of an object, by which others refer to it."""
    name = text(holder, key, place)
    if not name:
        raise InputError("it has no name", place=place, next="give it one")
    return name


def namespace_of(metadata: dict[str, Any]) -> str:
    """The namespace of an object, by its metadata."""
    return text(metadata, "namespace", "metadata.namespace") or DEFAULT_NAMESPACE


def flag(holder: dict[str, Any], key: str, place: str) -> bool:
    """The truth value under a key; false where there is none."""
    value = holder.get(key)
    if value is None:
        return False
    if type(value) is not bool:
        raise InputError(f"{shown(value)} is neither true nor false", place=place, next="write true or false")
    return value


def texts(holder: dict[str, Any], key: str, place: str) -> dict[str, str]:
    """A mapping of texts, as labels are; people write `8` and `true` there without quotes."""
    found = mapping(holder, key, place)
    if _all_texts(found.values()):
        return found
    return {name: _as_text(value, f"{place}.{name}") for name, value in found.items()}


def _as_text(value: object, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, int | float) and not (isinstance(value, int) and value.bit_length() > 256):
        return str(value)
    if isinstance(value, str):
        return value
    raise InputError(f"{shown(value)} is no text", place=place, next="write it in quotes")


def _all_texts(values: Iterable[object]) -> bool:
    """Whether all values are texts. Joining them is the fastest test, and labels are most of an inventory."""
    try:
        "".join(cast("Iterable[str]", values))
    except TypeError:
        return False
    return True

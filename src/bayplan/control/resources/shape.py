"""The shape of a document: what each field may hold, and how lists and objects are merged.

The patches and the server-side apply walk a document together with its shape: `shape.child(name)`, `shape.item`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Form(StrEnum):
    """What a value is made of."""

    SCALAR = "scalar"
    LIST = "list"
    MAP = "map"
    OBJECT = "object"
    OPEN = "open"
    """Anything: its fields are not known, and it is merged as a plain object."""


class Merging(StrEnum):
    """How two writers share a list or an object, in the words of Kubernetes."""

    ATOMIC = "atomic"
    """One writer has the whole of it."""
    GRANULAR = "granular"
    """Each field has its own writer."""
    MAP = "map"
    """A list of objects that are told apart by their keys."""
    SET = "set"
    """A list of values, each once."""


@dataclass(frozen=True, slots=True)
class Patching:
    """What a strategic merge patch does with a list or an object."""

    merge: bool = False
    """Whether a list is merged instead of replaced."""
    key: str = ""
    """The field by which its objects are matched; empty for lists of values."""
    retain: bool = False
    """Whether `$retainKeys` applies: kubectl lists the keys to keep."""
    replace: bool = False
    """Whether an object is replaced instead of merged."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What one value may be."""

    form: Form
    scalar: str = ""
    """Of a scalar: string, int32, int64, number, bool, quantity, time, microtime, bytes, int-or-string …"""
    values: tuple[str, ...] = ()
    """The texts that are allowed; empty for any."""
    item: Shape | None = None
    """Of a list or a map: what its members are."""
    type: ObjectType | None = None
    """Of an object: its fields."""
    merging: Merging = Merging.GRANULAR
    keys: tuple[str, ...] = ()
    """Of a list that is merged as a map: the fields that tell its objects apart."""
    patching: Patching = Patching()

    def child(self, name: str) -> Shape | None:
        """The shape of a field; of an open value anything; None where there is no such field."""
        if self.form is Form.OBJECT and self.type is not None:
            found = self.type.fields.get(name)
            return found.shape if found else None
        return self.item if self.form is Form.MAP else self if self.form is Form.OPEN else None


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field of an object."""

    name: str
    shape: Shape
    required: bool = False
    description: str = ""
    default: Any = None
    """None for no default."""


@dataclass(frozen=True, eq=False)  # there is one of each, and it is a key of caches
class ObjectType:
    """A named type of objects. Its fields are read when first asked for, because types may contain themselves."""

    name: str
    """As OpenAPI calls it: `io.k8s.api.core.v1.Pod`."""
    description: str
    atomic: bool
    strict: bool
    """Whether a number may not stand where a text is expected, or the reverse; dialects accept both."""
    written: Mapping[str, str] = field(repr=False)
    """The fields as the data file spells them."""
    read: Callable[[str, str], FieldType] = field(repr=False)

    @cached_property
    def fields(self) -> Mapping[str, FieldType]:
        found = (self.read(key, text) for key, text in self.written.items() if key not in {"", "*"})
        return {each.name: each for each in found}

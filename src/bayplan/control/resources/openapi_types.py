"""The types of the schemas as OpenAPI: definitions of objects with the extensions that kubectl reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.shape import Form, Merging

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.resources.shape import FieldType, ObjectType, Shape

Document = dict[str, Any]

_SCALARS: dict[str, Document] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "number": {"type": "number", "format": "double"},
    "time": {"type": "string", "format": "date-time"},
    "microtime": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
}
_CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "quantity": ("io.k8s.apimachinery.pkg.api.resource.Quantity", ("string", "number")),
    "int-or-string": ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", ("integer", "string")),
    "number-or-string": ("io.bayplan.NumberOrString", ("number", "string")),
    "scalar": ("io.bayplan.Scalar", ("string", "number", "boolean")),
}
"""Types with a choice have names, which `kubectl explain` shows; version 2 of OpenAPI has no choices: string."""


class Definitions:
    """The definitions of all types that are asked for, and of the types inside them.

    `home` is where references point to. Version 2 of OpenAPI cannot say everything: `plain` writes for it.
    """

    def __init__(self, home: str = "#/components/schemas/", *, plain: bool = False) -> None:
        self.found: dict[str, Document] = {}
        self.home = home
        self._plain = plain

    def reference(self, kind: ObjectType) -> Document:
        """A reference to the definition of a type, which is written if it is not there yet."""
        if kind.name not in self.found:
            self.found[kind.name] = {}
            self.found[kind.name] = self._definition(kind)
        return {"$ref": self.home + kind.name}

    def _definition(self, kind: ObjectType) -> Document:
        found: Document = {"type": "object"}
        if kind.description:
            found["description"] = kind.description
        found["properties"] = {each.name: self._property(each) for each in kind.fields.values()}
        if required := [each.name for each in kind.fields.values() if each.required]:
            found["required"] = required
        if kind.atomic:
            found["x-kubernetes-map-type"] = "atomic"
        return found

    def _property(self, field: FieldType) -> Document:
        found = self._value(field.shape)
        if "$ref" in found and not self._plain:
            found = {"allOf": [found]}  # nothing may stand beside a reference
        described = {"description": field.description} if field.description else {}
        default = {"default": field.default} if field.default is not None else {}
        return {**described, **found, **default, **_patching(field.shape)}

    def _value(self, shape: Shape) -> Document:
        match shape.form:
            case Form.OBJECT if shape.type is not None:
                return self.reference(shape.type)
            case Form.LIST if shape.item is not None:
                return {"type": "array", "items": self._value(shape.item), **_list_type(shape)}
            case Form.MAP if shape.item is not None:
                atomic = {"x-kubernetes-map-type": "atomic"} if shape.merging is Merging.ATOMIC else {}
                return {"type": "object", "additionalProperties": self._value(shape.item), **atomic}
            case Form.SCALAR:
                return self._scalar(shape)
        found: Document = {"x-kubernetes-preserve-unknown-fields": True}
        return {"type": "object", **found} if shape.scalar else found

    def _scalar(self, shape: Shape) -> Document:
        if shape.scalar not in _CHOICES:
            found = dict(_SCALARS[shape.scalar])
            return {**found, "enum": list(shape.values)} if shape.values else found
        name, types = _CHOICES[shape.scalar]
        self.found[name] = {"type": "string"} if self._plain else {"oneOf": [{"type": each} for each in types]}
        return {"$ref": self.home + name}


def _list_type(shape: Shape) -> Document:
    if shape.merging is Merging.MAP:
        return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(shape.keys)}
    return {"x-kubernetes-list-type": str(shape.merging)}


def _patching(shape: Shape) -> Document:
    """What client-side apply needs for strategic merge patches."""
    words = ["merge"] if shape.patching.merge else ["replace"] if shape.patching.replace else []
    if shape.patching.retain:
        words.append("retainKeys")
    found: Document = {"x-kubernetes-patch-strategy": ",".join(words)} if words else {}
    if shape.patching.key:
        found["x-kubernetes-patch-merge-key"] = shape.patching.key
    return found


def with_kinds(definition: Document, kinds: Iterable[tuple[str, str, str]]) -> Document:
    """The definition with the group, version and kind of the documents that it describes."""
    told = [{"group": group, "version": version, "kind": kind} for group, version, kind in kinds]
    return {**definition, "x-kubernetes-group-version-kind": told}

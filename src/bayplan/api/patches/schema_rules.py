"""The merge rules of a kind, from its schema."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from bayplan.api.patches.field_rules import UNTYPED, FieldRules, ListType
from bayplan.control.resources.schema import schema_of
from bayplan.control.resources.shape import Form, Merging, Shape

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.resources.shape import ObjectType

_LIST_TYPES = {Merging.MAP: ListType.MAP, Merging.SET: ListType.SET}


@cache
def rules_of(resource: ResourceType, api: Api | None = None) -> FieldRules:
    """How the fields of a kind are merged; made once, when the kind is first asked for."""
    return _rules(schema_of(resource, api), {})


def _rules(shape: Shape, known: dict[ObjectType, dict[str, FieldRules]]) -> FieldRules:
    """The rules of one shape; `known` holds the fields of types that were met before, as types may hold themselves."""
    if shape.form is Form.OPEN:
        return UNTYPED
    patching = shape.patching
    return FieldRules(
        fields=_fields(shape.type, known) if shape.type is not None else {},
        values=_rules(shape.item, known) if shape.form is Form.MAP and shape.item else None,
        items=_rules(shape.item, known) if shape.form is Form.LIST and shape.item else None,
        atomic=shape.form is not Form.LIST and shape.merging is Merging.ATOMIC,
        list_type=_LIST_TYPES.get(shape.merging, ListType.ATOMIC),
        keys=tuple(sorted(shape.keys)),
        defaults=_defaults(shape),
        merge_key=patching.key,
        merged=patching.merge,
        replaced=patching.replace,
    )


def _fields(type: ObjectType, known: dict[ObjectType, dict[str, FieldRules]]) -> dict[str, FieldRules]:  # noqa: A002
    if type not in known:
        known[type] = {}
        known[type] |= {name: _rules(each.shape, known) for name, each in type.fields.items()}
    return known[type]


def _defaults(shape: Shape) -> dict[str, object]:
    """The values of keys that an item of a list may leave out, such as the protocol of a port."""
    if not shape.keys or shape.item is None or shape.item.type is None:
        return {}
    fields = shape.item.type.fields
    return {key: fields[key].default for key in shape.keys if key in fields and fields[key].default is not None}

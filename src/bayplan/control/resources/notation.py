"""The notation of the schema files: one line of text for each field.

    "FIELD!": "TYPE RULE… = DEFAULT — DESCRIPTION"

`!` marks a field that must be given. TYPE is a scalar, `enum(a|b)`, the name of a type, `[TYPE]` a list, `{TYPE}` a
map of TYPE by text, `object` an object of any fields, `any` any value. Rules: `keys(a,b)`, `set` and `atomic` say how
writers share it, `merge(key)`, `merge()`, `retain` and `replace` what a strategic merge patch does. The default is
JSON. Of a type, the key "" is its description, and `"*": "atomic"` says that one writer has the whole of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from bayplan.control.resources.scalars import ACCEPTS
from bayplan.control.resources.shape import FieldType, Form, Merging, Patching, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.resources.shape import ObjectType

    Types = Callable[[str], ObjectType]

_RULE = re.compile(r"(?P<word>keys|merge|set|atomic|retain|replace)(?:\((?P<inside>[^)]*)\))?")
_ENUM = re.compile(r"enum\(([^)]*)\)")


def read_field(written: str, text: str, types: Types) -> FieldType:
    """A field from its line; `types` finds the types that it names."""
    text, _, description = text.partition(" — ")
    text, _, default = text.partition(" = ")
    kind, *rules = text.split(" ")
    shape = _with_rules(_shape(kind, types), rules)
    value = orjson.loads(default) if default else None
    return FieldType(written.rstrip("!"), shape, written.endswith("!"), description, value)


def _shape(kind: str, types: Types) -> Shape:
    if kind.startswith("["):
        return Shape(Form.LIST, item=_shape(kind[1:-1], types), merging=Merging.ATOMIC)
    if kind.startswith("{"):
        return Shape(Form.MAP, item=_shape(kind[1:-1], types))
    if found := _ENUM.fullmatch(kind):
        return Shape(Form.SCALAR, "string", tuple(found[1].split("|")))
    if kind in ACCEPTS:
        return Shape(Form.SCALAR, kind)
    if kind in {"object", "any"}:
        return Shape(Form.OPEN, "" if kind == "any" else kind)
    named = types(kind)
    return Shape(Form.OBJECT, type=named, merging=Merging.ATOMIC if named.atomic else Merging.GRANULAR)


def _with_rules(shape: Shape, rules: list[str]) -> Shape:
    merging, keys, patching = shape.merging, shape.keys, shape.patching
    for rule in rules:
        found = _RULE.fullmatch(rule)
        if found is None:
            raise ValueError(f"{rule!r} is no rule of the notation")
        match found["word"]:
            case "keys":
                merging, keys = Merging.MAP, tuple(found["inside"].split(","))
            case "set" | "atomic" as word:
                merging = Merging(word)
            case "merge":
                patching = Patching(True, found["inside"], patching.retain)
            case "retain":
                patching = Patching(patching.merge, patching.key, True)
            case "replace":
                patching = Patching(replace=True)
    return Shape(shape.form, shape.scalar, shape.values, shape.item, shape.type, merging, keys, patching)

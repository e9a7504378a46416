"""A small judge of the keywords of JSON Schema that our schemas use."""

from __future__ import annotations

KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "default", "type", "enum", "minLength", "minimum", "properties",
    "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "anyOf", "allOf", "if", "then",
}  # fmt: skip
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}  # fmt: skip


def accepts(schema, value, root):
    """A small judge of the keywords that the schema uses; an unknown keyword fails the test."""
    assert schema.keys() <= KNOWN
    return all(judge(schema, value, root) for judge in (_reference, _kind, _object, _array, _combined))


def _reference(schema, value, root):
    return "$ref" not in schema or accepts(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root)


def _kind(schema, value, root):
    fits = "type" not in schema or TYPES[schema["type"]](value)
    listed = "enum" not in schema or any(type(value) is type(each) and value == each for each in schema["enum"])
    small = isinstance(value, int | float) and value < schema.get("minimum", value)
    return fits and listed and not small and not (isinstance(value, str) and len(value) < schema.get("minLength", 0))


def _object(schema, value, root):
    if not isinstance(value, dict):
        return True
    fields = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    return all(name in value for name in schema.get("required", ())) and all(
        accepts(fields[key], item, root)
        if key in fields
        else (accepts(others, item, root) if isinstance(others, dict) else others)
        for key, item in value.items()
    )


def _array(schema, value, root):
    if not isinstance(value, list):
        return True
    first = schema.get("prefixItems", [])
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        and all(accepts(each, item, root) for each, item in zip(first, value, strict=False))
        and all(accepts(schema.get("items", {}), item, root) for item in value[len(first) :])
    )


def _combined(schema, value, root):
    some = "anyOf" not in schema or any(accepts(each, value, root) for each in schema["anyOf"])
    every = all(accepts(each, value, root) for each in schema.get("allOf", ()))
    implied = "if" not in schema or not accepts(schema["if"], value, root) or accepts(schema["then"], value, root)
    return some and every and implied

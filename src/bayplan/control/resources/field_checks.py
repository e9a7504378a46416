"""Checks of a document against the schema of its kind: unknown fields, wrong types, values that are not allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from bayplan.control.resources.scalars import ACCEPTS, EXPECTED, any_scalar
from bayplan.control.resources.schema import schema_of
from bayplan.control.resources.shape import Form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.resources.shape import ObjectType, Shape

WRONG_TYPE = "FieldValueTypeInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
REQUIRED = "FieldValueRequired"
TOO_MANY = "FieldValueTooMany"
MOST_ITEMS = 4_000  # objects in one list: far more than real objects have; each costs many checks
MOST_FOUND = 100  # findings of one document: a hostile one could have a million
_LONGEST = 60  # characters of a value that an error repeats


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong with a document, in the words of a Status answer: path, reason and message."""

    path: str
    reason: str
    message: str


@dataclass(slots=True)
class FieldReport:
    """What a check found: paths of fields that the kind does not have, and values that cannot stand where they are."""

    unknown: list[str] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.unknown) + len(self.causes) >= MOST_FOUND


def check_fields(resource: ResourceType, document: Mapping[str, Any], api: Api | None = None) -> FieldReport:
    """Everything about the fields of a document in one pass, at most MOST_FOUND findings."""
    return check_shape(schema_of(resource, api), document)


def check_shape(shape: Shape, document: Mapping[str, Any]) -> FieldReport:
    """The same for a document of another shape, such as that of a subresource."""
    report = FieldReport()
    if shape.type is not None:
        _check_object(shape.type, document, "", report)
    return report


def unknown_fields(resource: ResourceType, document: Mapping[str, Any], api: Api | None = None) -> list[str]:
    """Paths of the fields that the kind does not have: `spec.containers[0].imagee`."""
    return check_fields(resource, document, api).unknown


def wrong_types(resource: ResourceType, document: Mapping[str, Any], api: Api | None = None) -> list[Cause]:
    """Values of a wrong type, and texts that are not among the allowed ones."""
    return check_fields(resource, document, api).causes


def missing_fields(resource: ResourceType, document: Mapping[str, Any], api: Api | None = None) -> list[Cause]:
    """Fields of the spec that must be given and are not; lists that must not be empty count too."""
    spec, shape = document.get("spec"), schema_of(resource, api).child("spec")
    found: list[Cause] = []
    if shape is not None and isinstance(spec, dict):
        _find_missing(shape, spec, "spec", found)
    return found


@cache
def _rules(kind: ObjectType) -> dict[str, tuple[Callable[[Any], bool] | None, Shape | None]]:
    """How each field is checked: plain scalars by a test, others by their shape, open values not at all."""
    rules: dict[str, tuple[Callable[[Any], bool] | None, Shape | None]] = {}
    for name, known in kind.fields.items():
        shape = known.shape
        if shape.form is Form.SCALAR and not shape.values:
            rules[name] = (ACCEPTS[shape.scalar] if kind.strict else any_scalar, shape)
        else:
            rules[name] = (None, None if shape.form is Form.OPEN and not shape.scalar else shape)
    return rules


def _check_object(kind: ObjectType, value: Mapping[str, Any], path: str, report: FieldReport) -> None:
    rules, strict = _rules(kind), kind.strict
    for name, each in value.items():
        rule = rules.get(name)
        if rule is None:
            if report.full:
                return
            report.unknown.append(f"{path}.{name}" if path else name)
        elif each is not None:
            accepts, shape = rule
            if shape is not None and (accepts is None or not accepts(each)):
                _check(shape, each, f"{path}.{name}" if path else name, strict, report)


def _check(shape: Shape, value: Any, path: str, strict: bool, report: FieldReport) -> None:
    """Check one value; null counts as absent."""
    form = shape.form
    if value is None or report.full:
        return
    if form is Form.SCALAR:
        _check_scalar(shape, value, path, strict, report)
    elif form is Form.LIST and isinstance(value, list):
        if len(value) > MOST_ITEMS and shape.item is not None and shape.item.form is Form.OBJECT:
            message = f"Too many: {len(value)}: must have at most {MOST_ITEMS} items"
            report.causes.append(Cause(path, TOO_MANY, message))
            return
        _check_members(
            shape.item or shape, ((f"{path}[{place}]", each) for place, each in enumerate(value)), strict, report
        )
    elif form is Form.MAP and isinstance(value, dict):
        _check_members(shape.item or shape, ((f"{path}.{key}", each) for key, each in value.items()), strict, report)
    elif form is Form.OBJECT and isinstance(value, dict) and shape.type is not None:
        _check_object(shape.type, value, path, report)
    elif form is not Form.OPEN or (shape.scalar and not isinstance(value, dict)):
        report.causes.append(_wrong(path, "a list" if form is Form.LIST else "an object", value))


def _check_members(item: Shape, members: Iterable[tuple[str, Any]], strict: bool, report: FieldReport) -> None:
    """Check the members of a list or a map; plain scalars by one test each."""
    accepts = None
    if item.form is Form.SCALAR and not item.values:
        accepts = ACCEPTS[item.scalar] if strict else any_scalar
    for path, each in members:
        if accepts is None or not accepts(each):
            _check(item, each, path, strict, report)


def _check_scalar(shape: Shape, value: Any, path: str, strict: bool, report: FieldReport) -> None:
    accepts = ACCEPTS[shape.scalar] if strict else any_scalar
    if not accepts(value):
        report.causes.append(_wrong(path, EXPECTED[shape.scalar], value))
    elif shape.values and value and value not in shape.values:
        known = ", ".join(f'"{each}"' for each in shape.values if each)
        message = f"Unsupported value: {_shown(value)}: supported values: {known}"
        report.causes.append(Cause(path, NOT_SUPPORTED, message))


def _find_missing(shape: Shape, value: Any, path: str, found: list[Cause]) -> None:
    if len(found) >= MOST_FOUND:
        return
    if shape.form is Form.OBJECT and isinstance(value, dict) and shape.type is not None:
        for name, known in shape.type.fields.items():
            inner = value.get(name)
            if known.required and (inner is None or inner in ("", [])):
                found.append(Cause(f"{path}.{name}", REQUIRED, "Required value"))
            elif inner is not None and known.shape.form in {Form.OBJECT, Form.LIST}:
                _find_missing(known.shape, inner, f"{path}.{name}", found)
    elif shape.form is Form.LIST and isinstance(value, list) and shape.item is not None:
        for number, each in enumerate(value):
            _find_missing(shape.item, each, f"{path}[{number}]", found)


def _wrong(path: str, expected: str, value: Any) -> Cause:
    return Cause(path, WRONG_TYPE, f"Invalid value: {_shown(value)}: must be {expected}")


def _shown(value: Any) -> str:
    """A value in an error; objects and lists are named, not shown: they may be large or secret."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    text = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return f'"{text}"' if isinstance(value, str) else text

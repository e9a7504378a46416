"""The values that a document may hold: each shape reads strictly, shows a value again, and has a JSON Schema.

A shape answers BROKEN for a value that it cannot read, after saying so; the reader of a whole document goes on and
finds the other problems too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from bayplan.framework.config.foreign_values import finite, shown
from bayplan.framework.config.place import Place, clip
from bayplan.framework.errors import BayplanError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from bayplan.framework.config.findings import Findings


class _Broken:
    def __repr__(self) -> str:
        return "BROKEN"


BROKEN: Final = _Broken()  # not None, which is a value that documents may hold
_MAPPING_EXAMPLE = "write it as {name: value}"


class Shape(Protocol):
    """What one value looks like."""

    @property
    def words(self) -> str:
        """What is expected, as a message says it."""

    @property
    def example(self) -> str:
        """The next step for the author of something else."""

    def read(self, value: Any, place: Place, findings: Findings) -> Any: ...

    def show(self, value: Any) -> Any:
        """The value as a document holds it."""

    def schema(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Anything:
    """A value that is not looked into here."""

    words: str = "anything"
    example: str = ""

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        return value

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Scalar:
    """True or false, a whole number, a number, or text. True is no number, and a number is finite.

    `least` bounds numbers.
    """

    kind: type
    least: float | None = None

    @property
    def words(self) -> str:
        return {bool: "true or false", int: "a whole number", float: "a finite number", str: "text"}[self.kind]

    @property
    def example(self) -> str:
        return {
            bool: "write true or false",
            int: "write one such as 3",
            float: "write one such as 0.5",
            str: "put it in quotes",
        }[self.kind]

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        # `type is`: True is an int for isinstance
        found: Any = finite(value) if self.kind is float else value if type(value) is self.kind else None
        if found is None:
            return _refuse(self, value, place, findings)
        if self.least is not None and found < self.least:
            findings.add(place, f"{shown(value)} is below {self.least:g}", f"write {self.least:g} or more")
            return BROKEN
        return found

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        bound = {} if self.least is None else {"minimum": self.least}
        return {"type": {bool: "boolean", int: "integer", float: "number", str: "string"}[self.kind], **bound}


@dataclass(frozen=True, slots=True)
class Name:
    """Text by which something else refers to this."""

    words: str = "a name"
    example: str = "write text that is not empty"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        return value if isinstance(value, str) and value else _refuse(self, value, place, findings)

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: tuple[Any, ...]

    @property
    def words(self) -> str:
        return " | ".join(map(str, self.values))

    @property
    def example(self) -> str:
        return f"write {self.words}"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        for each in self.values:
            if type(value) is type(each) and value == each:  # the type too, because 1 == True
                return each
        names = [each for each in self.values if isinstance(each, str)]
        if isinstance(value, str) and names:
            findings.add(place, f"{shown(value)} is not one of {self.words}", did_you_mean(value, names))
            return BROKEN
        return _refuse(self, value, place, findings)

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value or null."""

    shape: Shape

    @property
    def words(self) -> str:
        return f"{self.shape.words} or null"

    @property
    def example(self) -> str:
        return self.shape.example

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        return None if value is None else self.shape.read(value, place, findings)

    def show(self, value: Any) -> Any:
        return None if value is None else self.shape.show(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class ListOf:
    """Any number of values of one shape; `build` makes what the plugin wants of them (a tuple, a set)."""

    shape: Shape
    build: Callable[[list[Any]], Any] = list

    @property
    def words(self) -> str:
        return f"a list{_of(self.shape)}"

    @property
    def example(self) -> str:
        return "write it as [a, b]"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        if not isinstance(value, list | tuple):
            return _refuse(self, value, place, findings)
        items = [self.shape.read(item, place.at(index), findings) for index, item in enumerate(value)]
        return BROKEN if BROKEN in items else self.build(items)

    def show(self, value: Any) -> Any:
        # a fixed order, so that equal documents are equal text
        items = sorted(value) if isinstance(value, frozenset | set) else value
        return [self.shape.show(item) for item in items]

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.shape.schema()}


@dataclass(frozen=True, slots=True)
class Row:
    """A fixed number of values, each of its own shape."""

    shapes: tuple[Shape, ...]

    @property
    def words(self) -> str:
        return f"a list of {len(self.shapes)} ({', '.join(shape.words for shape in self.shapes)})"

    @property
    def example(self) -> str:
        return f"give {len(self.shapes)} of them, as in [a, b]"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(self.shapes):
            return _refuse(self, value, place, findings)
        pairs = enumerate(zip(self.shapes, value, strict=True))
        items = [shape.read(item, place.at(index), findings) for index, (shape, item) in pairs]
        return BROKEN if BROKEN in items else tuple(items)

    def show(self, value: Any) -> Any:
        return [shape.show(item) for shape, item in zip(self.shapes, value, strict=True)]

    def schema(self) -> dict[str, Any]:
        count = len(self.shapes)
        items = [shape.schema() for shape in self.shapes]
        return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}


@dataclass(frozen=True, slots=True)
class MapOf:
    """Any names, each with a value of one shape."""

    shape: Shape

    @property
    def words(self) -> str:
        return f"a mapping{_of(self.shape)}"

    @property
    def example(self) -> str:
        return _MAPPING_EXAMPLE

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        if not is_mapping(value, self.words, place, findings):
            return BROKEN
        items = {key: self.shape.read(item, place.at(key), findings) for key, item in value.items()}
        return BROKEN if BROKEN in items.values() else items

    def show(self, value: Any) -> Any:
        return {key: self.shape.show(item) for key, item in value.items()}

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.shape.schema()}


@dataclass(frozen=True, slots=True)
class Field:
    """One named value of a record: `name` in Python, `key` in documents."""

    name: str
    key: str
    shape: Shape
    required: bool = False
    default: Any = None
    text: str = ""

    def schema(self) -> dict[str, Any]:
        schema = self.shape.schema()
        if self.text:
            schema["description"] = self.text
        if not self.required and (self.default is not None or isinstance(self.shape, Maybe | Anything)):
            schema["default"] = self.shape.show(self.default)
        return schema


@dataclass(frozen=True, slots=True)
class Record:
    """Named values, no others; `build` makes the object they describe."""

    fields: tuple[Field, ...]
    build: Callable[..., Any]

    words = "a mapping"
    example = _MAPPING_EXAMPLE

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        values = self.values(value, place, findings)
        return BROKEN if values is BROKEN else built(self.build, values, place, self.fields, findings)

    def values(self, value: Any, place: Place, findings: Findings) -> Any:
        """The fields that were given, by their Python names; BROKEN where one is missing or could not be read."""
        if not is_mapping(value, self.words, place, findings):
            return BROKEN
        keys = {field.key for field in self.fields}
        for key in value:
            if key not in keys:
                findings.add(place.at(key), f"there is no field {clip(key)!r}", did_you_mean(key, keys))
        given = [field for field in self.fields if field.required or field.key in value]
        return {field.name: _field(field, value, place, findings) for field in given}

    def show(self, value: Any) -> Any:
        return self.full({field.name: getattr(value, field.name) for field in self.fields})

    def full(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """As a document holds them, with every default filled in."""
        return {field.key: field.shape.show(values.get(field.name, field.default)) for field in self.fields}

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {field.key: field.schema() for field in self.fields},
            "additionalProperties": False,
        }
        if required := [field.key for field in self.fields if field.required]:
            schema["required"] = required
        return schema


def is_mapping(value: Any, words: str, place: Place, findings: Findings) -> bool:
    """Whether it is a mapping with texts for keys; says so if not."""
    if not isinstance(value, Mapping):
        findings.add(place, f"{shown(value)} is not {words}", _MAPPING_EXAMPLE)
        return False
    for key in value:
        if not isinstance(key, str):
            findings.add(place, f"the name {shown(key)} is not text", "put it in quotes")
            return False
    return True


def built(
    build: Callable[..., Any], values: Mapping[str, Any], place: Place, fields: tuple[Field, ...], findings: Findings
) -> Any:
    """What `build` makes of these values; whatever it raises is a problem of the document, not a traceback.

    Where a field could not be read, or is refused, the others are tried without it, so that their problems are found
    too; the answer is BROKEN then.
    """
    left = {name: value for name, value in values.items() if value is not BROKEN}
    required = {field.name for field in fields if field.required}
    while required <= left.keys():
        try:
            made = build(**left)
        except BayplanError as problem:
            first, *further = problem.place.split(".")
            refused = next((field for field in fields if first in (field.name, field.key)), None)
            where = place if refused is None else Place((*place.steps, refused.key, *further))
            findings.add(where, problem.message, problem.next)
            if refused is None or left.pop(refused.name, BROKEN) is BROKEN:
                break
        except ValueError as problem:
            findings.add(place, str(problem) or "is refused", "change it")
            break
        except Exception as problem:
            step = "check the parameters, else tell the plugin's author"
            findings.add(place, f"{type(problem).__name__}: {problem}", step)
            break
        else:
            return made if len(left) == len(values) else BROKEN
    return BROKEN


def _field(field: Field, value: Mapping[str, Any], place: Place, findings: Findings) -> Any:
    if field.key in value:
        return field.shape.read(value[field.key], place.at(field.key), findings)
    findings.add(place.at(field.key), "is missing", f"give {field.shape.words}")
    return BROKEN


def _refuse(shape: Shape, value: Any, place: Place, findings: Findings) -> Any:
    findings.add(place, f"{shown(value)} is not {shape.words}", shape.example)
    return BROKEN


def _of(shape: Shape) -> str:
    return "" if isinstance(shape, Anything) else f" ({shape.words})"

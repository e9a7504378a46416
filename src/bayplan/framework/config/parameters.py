"""What a plugin can be told: its parameters, taken from its fields or signature, its type hints and its docstring."""

from __future__ import annotations

import inspect
import types
import typing
from collections import abc
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import Anything, Choice, Field, ListOf, MapOf, Maybe, Record, Row, Scalar
from bayplan.framework.errors import BayplanError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.framework.config.shapes import Shape

_LISTS: dict[Any, Callable[[list[Any]], Any]] = {
    list: list, tuple: tuple, set: set, frozenset: frozenset, abc.Sequence: tuple, abc.Set: frozenset,
}  # fmt: skip
_MAPS = (dict, abc.Mapping)
_NAMES = {name: getattr(abc, name) for name in ("Mapping", "Sequence", "Set")} | {
    name: getattr(typing, name) for name in ("Any", "Literal", "Optional", "Union")
}
# *args, **kwargs: documents cannot name them
_FIXED_KINDS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters_of(factory: Callable[..., Any]) -> Record:
    """The parameters of a class, a dataclass or a factory function; names in documents are camelCase.

    InputError for a parameter that no document could hold: its author should hear of it before any user does.
    """
    texts = parameter_texts(inspect.getdoc(factory) or "")
    given = _fields(factory) if is_dataclass(factory) else _signature(factory)
    return Record(tuple(_field(factory, *each, texts) for each in given), factory)


def shape_of(hint: Any) -> Shape:
    """The shape that a type hint stands for; TypeError when documents have none."""
    if hint in (bool, int, float, str):
        return Scalar(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return parameters_of(hint)
    shape = Anything() if hint is Any else _compound(get_origin(hint), get_args(hint))
    if shape is None:
        raise TypeError(hint.__qualname__ if isinstance(hint, type) and not get_args(hint) else str(hint))
    return shape


def camel(name: str) -> str:
    """`target_percent` as documents spell it: `targetPercent`."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def parameter_texts(docstring: str) -> dict[str, str]:
    """What a docstring's section `Parameters:` says of each name."""
    lines = iter(docstring.splitlines())
    if not any(line.strip() == "Parameters:" for line in lines):
        return {}
    texts: dict[str, str] = {}
    name, indent = "", 0
    for line in lines:
        words = line.strip()
        depth = len(line) - len(line.lstrip())
        if words and depth == 0:  # a line at the margin ends the section
            break
        if words and (not name or depth <= indent) and ":" in words:
            name, _, text = words.partition(":")
            indent, texts[name] = depth, text.strip()
        elif words and name:
            texts[name] += f" {words}"
    return texts


def _compound(origin: Any, arguments: tuple[Any, ...]) -> Shape | None:
    shape: Shape | None = None
    if origin is Literal:
        shape = Choice(arguments)
    elif origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        # a bool as an index: the argument that is not None
        shape = Maybe(shape_of(arguments[arguments[0] is type(None)]))
    elif origin is tuple and arguments[-1:] != (...,):  # `tuple[int, ...]` has any length, and is a list below
        shape = Row(tuple(map(shape_of, arguments)))
    elif origin in _LISTS:
        shape = ListOf(shape_of(arguments[0]), _LISTS[origin])
    elif origin in _MAPS and arguments[0] is str:
        shape = MapOf(shape_of(arguments[1]))
    return shape


def _fields(factory: Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, hint and default of each field that the constructor takes; MISSING for no default."""
    for each in fields(factory):
        if each.init:
            # The class that annotates the field: its module knows the names in the hint.
            owner = next(kind for kind in factory.__mro__ if each.name in inspect.get_annotations(kind))
            default = each.default if each.default_factory is MISSING else each.default_factory()
            yield each.name, _hint(each.name, each.type, owner), default


def _signature(factory: Any) -> Iterator[tuple[str, Any, Any]]:
    init = getattr(factory, "__init__", None) if inspect.isclass(factory) else factory
    if init is object.__init__:  # a class without a constructor of its own has no parameters
        return
    for name, each in inspect.signature(factory).parameters.items():
        if each.kind in _FIXED_KINDS:
            continue
        default = MISSING if each.default is each.empty else each.default
        hint = type(default) if each.annotation is each.empty else _hint(name, each.annotation, init)
        yield name, hint, default


def _hint(name: str, hint: Any, owner: Any) -> Any:
    """The hint itself where it is text; names that only a type checker imported are known all the same."""
    module = inspect.getmodule(owner)
    known = {**_NAMES, **(vars(module) if module is not None else {}), **getattr(owner, "__globals__", {})}
    holder = types.SimpleNamespace(__annotations__={name: hint})
    try:
        return get_type_hints(holder, known)[name]
    except NameError as problem:
        raise InputError(
            f"{problem} in its type hint", place=f"parameter {name!r}", next="import it at run time"
        ) from None


def _field(factory: Any, name: str, hint: Any, default: Any, texts: dict[str, str]) -> Field:
    place = f"parameter {name!r} of {factory.__qualname__}"
    try:
        shape = shape_of(hint)
    except TypeError as problem:
        known = "bool, int, float, str, Literal, list, tuple, Mapping[str, …], … | None or a frozen dataclass"
        raise InputError(f"no document can hold a {problem}", place=place, next=f"use {known}") from None
    required = default is MISSING
    field = Field(name, camel(name), shape, required, None if required else default, texts.get(name, ""))
    if not required and not _fits(field):
        raise InputError(
            f"its default {default!r} is not {shape.words}", place=place, next="change the hint or the default"
        )
    return field


def _fits(field: Field) -> bool:
    findings = Findings()
    try:
        field.shape.read(field.shape.show(field.default), Place(), findings)
    except (BayplanError, TypeError, AttributeError):
        return False
    return not findings.problems

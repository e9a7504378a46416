"""Prompts from the values that APIs hold: text, ids of tokens, or lists of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTS = frozenset({int})  # `issuperset(map(type, ...))` checks a whole list in one call, and True is no id


def prompts_of(value: Any, place: str) -> tuple[Prompt, ...]:
    """One prompt, or several: a text, ids, a list of texts, or a list of lists of ids."""
    if isinstance(value, str):
        return (Prompt(text=value.encode()),)
    if isinstance(value, memoryview):
        return (Prompt(value),)
    if not isinstance(value, list):
        raise _unreadable(place)
    if type(value[0]) is int:
        return (Prompt(ids_of(value, place)),)
    return tuple(_one(each, f"{place}[{number}]") for number, each in enumerate(value))


def id_prompts_of(value: Any, place: str) -> tuple[Prompt, ...]:
    """The same where only ids are allowed."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return tuple(Prompt(ids_of(each, f"{place}[{number}]")) for number, each in enumerate(value))
    return (Prompt(ids_of(value, place)),)


def ids_of(value: Any, place: str) -> Sequence[int]:
    """Ids of tokens; many are a memoryview (`id_lists`)."""
    if isinstance(value, memoryview):
        return value
    if isinstance(value, list) and _INTS.issuperset(map(type, value)):
        return tuple(value)
    raise InputError("is no list of whole numbers", place=place, next="send ids of tokens, as in [1, 2, 3]")


def _one(value: Any, place: str) -> Prompt:
    if isinstance(value, str):
        return Prompt(text=value.encode())
    if isinstance(value, list):
        return Prompt(ids_of(value, place))
    raise _unreadable(place)


def _unreadable(place: str) -> InputError:
    return InputError("is neither text nor ids of tokens", place=place, next="send text, ids, or a list of either")

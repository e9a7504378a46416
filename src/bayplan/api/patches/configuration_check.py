"""Whether every item of an applied configuration's lists can be told apart, so that it can have an owner."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.patches.field_rules import FieldRules, ListType
from bayplan.api.patches.field_sets import path_text
from bayplan.api.patches.object_fields import element_of
from bayplan.api.status import Cause, Refusal
from bayplan.control.resources.field_checks import MOST_FOUND, MOST_ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Object


def check_configuration(config: Object, rules: FieldRules) -> None:
    """Refuse a configuration with owners of its own, or with list items that have no key or the same key."""
    if metadata_of(config).get("managedFields") is not None:
        raise Refusal(400, "metadata.managedFields must be nil")
    problems = list(islice(_problems(config, rules, ()), MOST_FOUND))
    if problems:
        text = "; ".join(f"{place}: {problem}" for place, problem in problems)
        causes = [Cause(place, problem) for place, problem in problems]
        raise Refusal(400, f"failed to create typed patch object: {text}", causes=causes)


def metadata_of(config: Object) -> dict[str, Any]:
    """The metadata of a configuration; null counts as absent."""
    metadata = config.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise Refusal(400, "metadata: must be an object")
    return metadata


def _problems(value: Any, rules: FieldRules, place: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, dict | list):
                yield from _problems(each, rules.of_field(name), (*place, "f:" + name))
    elif isinstance(value, list) and rules.list_type is not ListType.ATOMIC:
        yield from _items(value, rules, place)


def _items(items: list[Any], rules: FieldRules, place: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if len(items) > MOST_ITEMS and rules.list_type is ListType.MAP:  # before each of them is worked on
        yield path_text(place), f"Too many: {len(items)}: must have at most {MOST_ITEMS} items"
        return
    seen = set()
    for number, item in enumerate(items):
        element = element_of(item, rules)
        if element is None:
            yield path_text(place), f"element {number}: {_missing_key(item, rules)}"
            continue
        if element in seen:
            yield path_text(place), f"duplicate entries for key {path_text((element,))}"
        seen.add(element)
        if isinstance(item, dict):
            yield from _problems(item, rules.of_items(), (*place, element))


def _missing_key(item: Any, rules: FieldRules) -> str:
    if rules.list_type is ListType.SET:
        return "associative list without keys has an element that's an explicit null, a map or a list"
    if item is None:
        return "associative list with keys may not have a null element"
    if not isinstance(item, dict):
        return "associative list with keys may not have non-map elements"
    keys = orjson.dumps(rules.keys).decode()
    return f"associative list with keys has an element that omits all key fields {keys}"

"""Applied configurations are merged into objects, and fields that are no longer applied are taken out again."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from bayplan.api.patches.field_sets import ITSELF, FieldSet
from bayplan.api.patches.object_fields import Repeated, element_of, items_by_element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.api.patches.field_rules import FieldRules


def merged(live: Any, config: Any, rules: FieldRules) -> Any:
    """The live value with what the configuration names; nothing is removed."""
    if not live or (not config and not isinstance(config, type(live)) and config is not None):
        return live if config is None and live is not None else config
    if isinstance(live, dict) and isinstance(config, dict | None) and not rules.atomic:
        return _merged_maps(live, config or {}, rules)
    if isinstance(live, list) and isinstance(config, list | None):
        before, after = items_by_element(live, rules), items_by_element(config or [], rules)
        if before is not None and after is not None:
            return list(_merged_items(live, before, after, rules))
    return config


def _merged_maps(live: dict[str, Any], config: dict[str, Any], rules: FieldRules) -> dict[str, Any]:
    joined = dict(live)
    for name, each in config.items():
        joined[name] = merged(live[name], each, rules.of_field(name)) if name in live else each
    return joined


def _merged_items(live: list[Any], before: dict[str, Any], after: dict[str, Any], rules: FieldRules) -> Iterator[Any]:
    """Shared items in the order of the configuration; items of the live list alone stay behind their predecessors."""
    order = [element_of(item, rules) or "" for item in live]
    shared = deque(element for element in after if element in before)
    position = 0
    for element, item in after.items():
        while position < len(order):
            here = order[position]
            if here not in after:
                yield live[position]
            elif here == element or (shared and here == shared[0]):
                break
            position += 1
        if position < len(order) and order[position] == element:
            position += 1
        if shared and shared[0] == element:
            shared.popleft()
        yield _merged_item(before.get(element), item, rules)
    yield from (item for here, item in zip(order[position:], live[position:], strict=True) if here not in after)


def _merged_item(live: Any, config: Any, rules: FieldRules) -> Any:
    return config if live is None or isinstance(live, Repeated) else merged(live, config, rules.of_items())


def without(value: Any, fields: FieldSet, rules: FieldRules, *, emptied: list[Any] | None = None) -> Any:
    """A value without the fields of a set; a list of which nothing is left becomes `emptied`."""
    if isinstance(value, dict):
        return None if rules.atomic else _map_without(value, fields, rules, emptied)
    if isinstance(value, list):
        return _list_without(value, fields, rules, emptied) or emptied
    return value


def _map_without(
    value: dict[str, Any], fields: FieldSet, rules: FieldRules, emptied: list[Any] | None
) -> dict[str, Any]:
    kept = {}
    for name, each in value.items():
        node = fields.get("f:" + name)
        if node is None:
            kept[name] = each
        elif node and ITSELF not in node:
            kept[name] = without(each, node, rules.of_field(name), emptied=emptied)
    return kept


def _list_without(value: list[Any], fields: FieldSet, rules: FieldRules, emptied: list[Any] | None) -> list[Any]:
    kept = []
    for item in value:
        element = element_of(item, rules)
        node = None if element is None else fields.get(element)
        if node is None:
            kept.append(item)
        elif node and ITSELF not in node:
            kept.append(without(item, node, rules.of_items(), emptied=emptied))
    return kept

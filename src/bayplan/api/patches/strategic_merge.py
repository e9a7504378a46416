"""Strategic merge patch of Kubernetes: like a merge patch, but lists are merged by key, with directives.

`$patch: replace|delete` in a map, `$patch` in an item of a list, `$retainKeys`, `$setElementOrder/FIELD` and
`$deleteFromPrimitiveList/FIELD`. Only kinds whose fields have known merge keys can be patched in this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.api.patches.strategic_lists import (
    PATCH,
    ListPatch,
    cleaned,
    merge_lists,
    ordered,
    refused,
    remove_scalars,
    unmatched_order,
)

if TYPE_CHECKING:
    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.api.patches.json_values import JsonMap

_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder"
_DELETE = "$deleteFromPrimitiveList"


def strategic_merge(document: JsonMap, patch: JsonMap, rules: FieldRules) -> JsonMap:
    """The patched document; neither argument is changed, and the patch may be used again."""
    return _merge_maps(document, patch, rules, "")


def _merge_maps(value: JsonMap, patch: JsonMap, rules: FieldRules, place: str) -> JsonMap:
    if PATCH in patch:
        return _replaced(patch, place)
    merged, patch = _retained(dict(value), patch, place)
    orders = {_field(key, place): order for key, order in patch.items() if key.startswith(_ORDER)}
    for name, order in orders.items():
        _merge_ordered(merged, name, ListPatch(patch.get(name), rules.of_field(name), f"{place}.{name}"), order)
    for key, change in patch.items():
        if key.startswith(_DELETE):
            _delete_scalars(merged, _field(key, place), change, place)
        elif key not in orders and not key.startswith(_ORDER):
            _merge_field(merged, key, change, rules, place)
    return merged


def _replaced(patch: JsonMap, place: str) -> JsonMap:
    directive = patch[PATCH]
    if directive == "delete":
        return {}
    if directive != "replace":
        raise refused(place, f"unknown patch type: {directive!r}")
    clean: JsonMap = cleaned({key: value for key, value in patch.items() if key != PATCH})
    return clean


def _retained(value: JsonMap, patch: JsonMap, place: str) -> tuple[JsonMap, JsonMap]:
    """The fields that `$retainKeys` lists, and the patch without this directive."""
    if _RETAIN not in patch:
        return value, patch
    keys = patch[_RETAIN]
    patch = {key: change for key, change in patch.items() if key != _RETAIN}
    given = {key for key, change in patch.items() if change is not None and not key.startswith((_ORDER, _DELETE))}
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or not given <= set(keys):
        raise refused(place, "invalid patch format of retainKeys", 400)
    kept = set(keys)
    return {key: each for key, each in value.items() if key in kept}, patch


def _field(key: str, place: str) -> str:
    """The field that a directive such as `$setElementOrder/containers` is about."""
    directive, slash, name = key.partition("/")
    if not slash or directive not in (_ORDER, _DELETE):
        raise refused(place, f"{key}: a directive for a list is written {_ORDER}/FIELD or {_DELETE}/FIELD", 400)
    return name


def _merge_ordered(merged: JsonMap, name: str, change: ListPatch, order: Any) -> None:
    value, patch = merged.get(name), change.items
    if not isinstance(order, list) or not isinstance(patch, list | None) or not isinstance(value, list | None):
        raise refused(change.place, "invalid patch format of setElementOrder list", 400)
    if value is None and patch is None:
        return
    if not change.rules.merged:
        merged[name] = value if patch is None else cleaned(patch)
        return
    if patch and order and unmatched_order(change, order):
        raise refused(change.place, f"the order in the patch does not match {_ORDER}")
    if value is None:
        result = cleaned(patch)
    else:
        result = list(value) if patch is None else merge_lists(value, change, _merge_maps)
    merged[name] = ordered(result, order, value or [], change)


def _delete_scalars(merged: JsonMap, name: str, change: Any, place: str) -> None:
    if change is None:
        merged.pop(name, None)
    elif isinstance(merged.get(name), list) and isinstance(change, list):
        merged[name] = remove_scalars(merged[name], change, f"{place}.{name}")


def _merge_field(merged: JsonMap, key: str, change: Any, rules: FieldRules, place: str) -> None:
    value = merged.get(key)
    if change is None:
        merged.pop(key, None)
    elif isinstance(value, dict) and isinstance(change, dict) and not rules.of_field(key).replaced:
        merged[key] = _merge_maps(value, change, rules.of_field(key), f"{place}.{key}")
    elif isinstance(value, list) and isinstance(change, list) and rules.of_field(key).merged:
        merged[key] = merge_lists(value, ListPatch(change, rules.of_field(key), f"{place}.{key}"), _merge_maps)
    elif isinstance(change, dict) and PATCH in change:
        merged.pop(key, None)
    else:
        merged[key] = cleaned(change)

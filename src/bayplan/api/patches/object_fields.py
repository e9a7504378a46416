"""The fields of objects as field sets: all that a configuration names, and what differs between two objects.

Lists with items that their rules cannot tell apart (no map, no key) count as single values, so that every object that
is stored can be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.patches.field_rules import UNTYPED, FieldRules, ListType
from bayplan.api.patches.field_sets import ITSELF, FieldSet, key_element, value_element
from bayplan.api.patches.json_values import same

if TYPE_CHECKING:
    from bayplan.api.patches.json_values import JsonMap

_ATOMIC, _SET = ListType.ATOMIC, ListType.SET
_LEAF: FieldSet = {}
_CONTAINERS = frozenset({dict, list})
_MISSING = object()  # tells a field that is not there from one that is null


class Repeated(list[Any]):
    """The items of a list that have the same key: they have one owner together."""

    __slots__ = ()


def element_of(item: Any, rules: FieldRules) -> str | None:
    """The element of one item of a list that is a map or a set; None where the item has none."""
    if type(item) is str and rules.list_type is _SET:
        return value_element(item)
    if rules.list_type is _SET:
        return None if item is None or isinstance(item, dict | list) else value_element(item)
    if not isinstance(item, dict):
        return None
    keys = {name: item[name] for name in rules.keys if name in item}
    if len(keys) < len(rules.keys):
        keys = {name: item.get(name, rules.defaults.get(name)) for name in rules.keys}
        keys = {name: value for name, value in keys.items() if name in item or value is not None}
    return key_element(keys) if keys else None


def items_by_element(items: list[Any], rules: FieldRules) -> dict[str, Any] | None:
    """The items of a list under their elements; None where the list is one value."""
    if rules.list_type is _ATOMIC:
        return None
    found: dict[str, Any] = {}
    for item in items:
        element = element_of(item, rules)
        if element is None:
            return None
        if element in found:
            first = found[element]
            found[element] = Repeated([*first, item] if isinstance(first, Repeated) else [first, item])
        else:
            found[element] = item
    return found


def parts(value: Any, rules: FieldRules) -> dict[str, tuple[Any, FieldRules]] | None:
    """What is below a value, by element; None where the value is a leaf: a scalar, empty, or owned as a whole."""
    if not value or isinstance(value, Repeated):
        return None
    if isinstance(value, dict):
        if rules.atomic:
            return None
        return {"f:" + name: (each, rules.of_field(name)) for name, each in value.items()}
    if isinstance(value, list):
        items = items_by_element(value, rules)
        deeper = rules.of_items()
        return None if items is None else {element: (each, deeper) for element, each in items.items()}
    return None


def named_fields(value: Any, rules: FieldRules) -> FieldSet:
    """The fields that a configuration names: leaves, items of lists, and keys that no schema names."""
    if not value:
        return {}
    if isinstance(value, dict):
        return {} if rules.atomic else _named_in_map(value, rules)
    return _named_in_list(value, rules) if isinstance(value, list) else {}


def _named_in_map(value: JsonMap, rules: FieldRules) -> FieldSet:
    node: FieldSet = {}
    fields, others = rules.fields, rules.values or UNTYPED
    for name, each in value.items():
        deeper = fields.get(name)
        if type(each) not in _CONTAINERS:
            node["f:" + name] = _LEAF
        elif deeper is None:
            below = named_fields(each, others)
            node["f:" + name] = {ITSELF: _LEAF, **below} if below else _LEAF
        elif (below := named_fields(each, deeper)) or _names_itself(each, deeper):
            node["f:" + name] = below
    return node


def _named_in_list(value: list[Any], rules: FieldRules) -> FieldSet:
    items = items_by_element(value, rules)
    if items is None:
        return {}
    deeper = rules.of_items()
    node: FieldSet = {}
    for element, each in items.items():
        below = named_fields(each, deeper) if type(each) in _CONTAINERS else _LEAF
        node[element] = {ITSELF: _LEAF, **below} if below else _LEAF
    return node


def _names_itself(value: Any, rules: FieldRules) -> bool:
    """Whether a value without named parts is named as a whole: not an empty list whose items are merged."""
    if isinstance(value, list) and not value:
        return rules.list_type is _ATOMIC
    return parts(value, rules) is None


def all_fields(value: Any, rules: FieldRules) -> FieldSet:
    """Everything at and below a value, as the node of a set: what is recorded where a value comes or goes."""
    if not value:
        return {}
    if isinstance(value, dict):
        if rules.atomic:
            return {}
        node: FieldSet = {ITSELF: _LEAF}
        fields, others = rules.fields, rules.values or UNTYPED
        for name, each in value.items():
            if each and type(each) in _CONTAINERS:  # most values are strings: asked without a call
                node["f:" + name] = all_fields(each, fields.get(name) or others)
            else:
                node["f:" + name] = _LEAF
        return node
    return _all_items(value, rules) if isinstance(value, list) else {}


def _all_items(value: list[Any], rules: FieldRules) -> FieldSet:
    items = None if isinstance(value, Repeated) else items_by_element(value, rules)
    if items is None:
        return {}
    deeper = rules.of_items()
    node: FieldSet = {ITSELF: _LEAF}
    for element, each in items.items():
        node[element] = all_fields(each, deeper) if type(each) in _CONTAINERS else _LEAF
    return node


def compare(old: JsonMap, new: JsonMap, rules: FieldRules) -> tuple[FieldSet, FieldSet]:
    """The fields that are gone, and the fields that are new or have another value."""
    removed: FieldSet = {}
    changed: FieldSet = {}
    _compare_maps(old, new, rules, removed, changed)
    return removed, changed


def _compare_maps(old: JsonMap, new: JsonMap, rules: FieldRules, removed: FieldSet, changed: FieldSet) -> None:
    """Compare the fields of two maps, neither of which is owned as a whole."""
    for name, before in old.items():
        after = new.get(name, _MISSING)
        if type(before) is not str or type(after) is not str:  # most values are strings: compared without a call
            _compare("f:" + name, before, after, rules.of_field(name), removed, changed)
        elif before != after:
            changed["f:" + name] = _LEAF
    for name, after in new.items():
        if name not in old:
            changed["f:" + name] = all_fields(after, rules.of_field(name))


def _compare(element: str, old: Any, new: Any, rules: FieldRules, removed: FieldSet, changed: FieldSet) -> None:
    if old is _MISSING:
        changed[element] = all_fields(new, rules)
    elif new is _MISSING:
        removed[element] = all_fields(old, rules)
    elif not quickly_equal(old, new):
        _compare_parts(element, old, new, rules, removed, changed)


def _compare_parts(element: str, old: Any, new: Any, rules: FieldRules, removed: FieldSet, changed: FieldSet) -> None:
    if isinstance(old, Repeated) != isinstance(new, Repeated):
        removed[element] = all_fields(old, rules)
        changed[element] = all_fields(new, rules)
        return
    gone: FieldSet = {}
    come: FieldSet = {}
    is_leaf = False
    if old and new and type(old) is dict and type(new) is dict and not rules.atomic:
        _compare_maps(old, new, rules, gone, come)
    else:
        is_leaf = _compare_elements(old, new, rules, gone, come) and not same(old, new)
    if is_leaf:
        changed[element] = {ITSELF: {}, **come} if come else {}
    elif come:
        changed[element] = come
    if gone:
        removed[element] = gone


def _compare_elements(old: Any, new: Any, rules: FieldRules, gone: FieldSet, come: FieldSet) -> bool:
    """Compare what is below two values, element by element; whether they differ as a whole, if they do."""
    before, after = parts(old, rules), parts(new, rules)
    missing = (_MISSING, UNTYPED)
    for each in {**(before or {}), **(after or {})}:
        left, right = (before or {}).get(each, missing), (after or {}).get(each, missing)
        deeper = right[1] if left[0] is _MISSING else left[1]
        _compare(each, left[0], right[0], deeper, gone, come)
    return _is_leaf(old, new, before, after)


def _is_leaf(old: Any, new: Any, before: Any, after: Any) -> bool:
    """Whether the value as a whole changed: one side has no parts, except where a container was or becomes empty."""
    if before is not None and after is not None:
        return False
    if before is None and after is None:
        return True
    empty = old if before is None else new
    whole = new if before is None else old
    return not (empty is None or (not empty and isinstance(empty, type(whole))))


def quickly_equal(old: Any, new: Any) -> bool:
    """Whether two values are equal; it may say no where 1 stands for 1.0, which `same` calls equal.

    The serialized form tells true from 1, which Python does not.
    """
    if old != new:
        return False
    if not isinstance(old, dict | list):
        return same(old, new)
    if orjson.dumps(old) == orjson.dumps(new):  # nearly always, because both have their keys in one order
        return True
    return orjson.dumps(old, option=orjson.OPT_SORT_KEYS) == orjson.dumps(new, option=orjson.OPT_SORT_KEYS)

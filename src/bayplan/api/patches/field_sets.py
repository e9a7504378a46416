"""Sets of fields in the form in which `metadata.managedFields` keeps them, FieldsV1, and their algebra.

A set is a tree of maps. Its keys are `f:NAME` for a field, `k:{"KEY":VALUE}` for an item of a list that is a map by
key, and `v:VALUE` for an item of a list that is a set. A key belongs to the set where its map is empty or holds `.`;
otherwise only something below it does. The functions share what they do not change and change no argument.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.api.patches.field_rules import FieldRules

FieldSet = dict[str, Any]

ITSELF = "."
_KINDS = ("f:", "k:", "v:", "i:")  # in the order in which Kubernetes lists the elements of a set
# Go writes these characters of a key as escapes, and keys are compared as texts
_SPECIAL = re.compile("[<>&\u2028\u2029]")
_ESCAPED = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')  # these, and what JSON itself escapes
_ESCAPES = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """All fields of both sets."""
    if not right:
        return left
    joined = dict(left)
    for element, node in right.items():
        mine = joined.get(element)
        joined[element] = node if mine is None else _joined(mine, node)
    return joined


def _joined(left: FieldSet, right: FieldSet) -> FieldSet:
    if left and right:
        return union(left, right)
    node = left or right
    return node if not node or ITSELF in node else {ITSELF: {}, **node}


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields of `left` that are not in `right`; what is below a field stays."""
    kept = {}
    for element, node in left.items():
        other = right.get(element)
        rest = node if other is None else _rest(node, other)
        if rest is not None:
            kept[element] = rest
    return kept


def _rest(node: FieldSet, other: FieldSet) -> FieldSet | None:
    if not node:
        return None if not other or ITSELF in other else node
    return _folded(difference(node, other or {ITSELF: {}}))


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields that both sets hold."""
    shared = {}
    for element, node in left.items():
        other = right.get(element)
        both = None if other is None else _both(node, other)
        if both is not None:
            shared[element] = both
    return shared


def _both(node: FieldSet, other: FieldSet) -> FieldSet | None:
    if not node or not other:
        wider = node or other
        return {} if not wider or ITSELF in wider else None
    return _folded(intersection(node, other))


def _folded(node: FieldSet) -> FieldSet | None:
    """A node that holds nothing but itself is written as an empty map; None where nothing is left."""
    if not node:
        return None
    return {} if len(node) == 1 and ITSELF in node else node


def with_parents(fields: FieldSet, rules: FieldRules) -> FieldSet:
    """The set and every field of the schema that has something of the set below it."""
    whole = {}
    for element, node in fields.items():
        if not node:
            whole[element] = node
            continue
        deeper = with_parents(node, rules.below(element))
        named = element.startswith("f:") and element[2:] in rules.fields
        whole[element] = {ITSELF: {}, **deeper} if named and ITSELF not in deeper else deeper
    return whole


def paths(fields: FieldSet) -> Iterator[str]:
    """The fields as people read them, `.spec.containers[name="a"].image`, in the order of Kubernetes."""
    yield from _paths(fields, "")


def _paths(fields: FieldSet, prefix: str) -> Iterator[str]:
    elements = [(prefix + _text(each), fields[each]) for each in _sorted(fields)]
    yield from (path for path, node in elements if not node or ITSELF in node)
    for path, node in elements:
        yield from _paths(node, path)


def path_text(elements: Iterable[str]) -> str:
    """One path as people read it."""
    return "".join(map(_text, elements))


def _sorted(fields: FieldSet) -> list[str]:
    known = (each for each in fields if each != ITSELF)
    return sorted(known, key=lambda each: (_KINDS.index(each[:2]), each[2:]))


def _text(element: str) -> str:
    kind, value = element[:2], element[2:]
    if kind == "f:":
        return "." + value
    if kind == "k:":
        keys = orjson.loads(value)
        return "[" + ",".join(f"{name}={_json(each)}" for name, each in keys.items()) + "]"
    return f"[={_json(orjson.loads(value))}]" if kind == "v:" else f"[{value}]"


def key_element(keys: dict[str, Any]) -> str:
    """The element of an item in a list that is a map; the keys come in alphabetical order."""
    if len(keys) == 1:
        ((name, value),) = keys.items()
        if type(value) is str and not _ESCAPED.search(value):  # nearly all keys are names, which need no escapes
            return f'k:{{"{name}":"{value}"}}'
    return "k:" + _escaped(_json(keys))


def value_element(value: Any) -> str:
    """The element of an item in a list that is a set."""
    if type(value) is str and not _ESCAPED.search(value):
        return f'v:"{value}"'
    return "v:" + _escaped(_json(value))


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES) if _SPECIAL.search(text) else text


def is_field_set(value: Any) -> bool:
    """Whether a value has the form of FieldsV1."""
    return isinstance(value, dict) and all(
        (element == ITSELF or _is_element(element)) and is_field_set(node) for element, node in value.items()
    )


def _is_element(element: str) -> bool:
    kind, value = element[:2], element[2:]
    if kind in ("k:", "v:"):
        try:
            read = orjson.loads(value)
        except orjson.JSONDecodeError:
            return False
        return kind == "v:" or isinstance(read, dict)
    return kind == "f:" or (kind == "i:" and value.isdecimal())


def union_of(sets: Iterable[FieldSet]) -> FieldSet:
    """All fields of several sets."""
    joined: FieldSet = {}
    for each in sets:
        joined = union(joined, each)
    return joined

"""The lists of a strategic merge patch: items are found by merge key, deleted, merged, and put in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bayplan.api.status import Cause, Refusal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.api.patches.json_values import JsonMap

PATCH = "$patch"
_DIRECTIVES = ("$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")


@dataclass(frozen=True, slots=True)
class ListPatch:
    """What a patch says about a list; `items` are None where it says nothing but an order."""

    items: Any
    rules: FieldRules
    place: str

    def key(self, item: Any) -> Hashable:
        """What tells items apart: the value of the merge key, or the item itself where items are scalars."""
        name = self.rules.merge_key
        if not name:
            return _scalar(item, self.place)
        if not isinstance(item, dict):
            raise refused(self.place, "expected a map, but received another type")
        if name not in item:
            raise refused(self.place, f"an item does not contain declared merge key: {name}")
        return _scalar(item[name], self.place)


class MapMerge(Protocol):
    """Merges one map of a list; given by the caller because maps hold lists and lists hold maps."""

    def __call__(self, value: JsonMap, patch: JsonMap, rules: FieldRules, place: str) -> JsonMap: ...


def refused(place: str, problem: str, code: int = 422) -> Refusal:
    """An answer that names the place in the patch."""
    path = place.removeprefix(".")
    text = f"{path}: {problem}" if path else problem
    return Refusal(code, f"the patch cannot be applied: {text}", causes=[Cause(path, problem)])


def cleaned(value: Any) -> Any:
    """A copy of a patch's value without directives and null fields, where there is nothing to merge with."""
    if isinstance(value, dict):
        return {
            key: cleaned(each)
            for key, each in value.items()
            if each is not None and not _directive(each) and not key.startswith(_DIRECTIVES)
        }
    if isinstance(value, list):
        return [cleaned(each) for each in value if not _directive(each)]
    return value


def _directive(value: Any) -> bool:
    return isinstance(value, dict) and PATCH in value


def merge_lists(value: list[Any], change: ListPatch, merge_maps: MapMerge) -> list[Any]:
    """The merged list: items of the patch in its order, between them the other items where they were."""
    patch = change.items
    _check_types(value, patch, change.place)
    if not change.rules.merge_key:
        result = [*value, *patch]
        return ordered(_unique(result, change), patch, value, change)
    if any(isinstance(item, dict) and item.get(PATCH) == "replace" for item in patch):
        return [cleaned(item) for item in patch if not _directive(item)]
    kept = _without_deleted(value, change)
    items = [item for item in patch if not _directive(item)]
    return ordered(_merged(kept, items, change, merge_maps), items, kept, change)


def _without_deleted(value: list[Any], change: ListPatch) -> list[Any]:
    deleted = set()
    for item in filter(_directive, change.items):
        if item[PATCH] != "delete":
            raise refused(change.place, f"unknown patch type: {item[PATCH]!r}")
        deleted.add(change.key(item))
    return [item for item in value if change.key(item) not in deleted]


def _merged(kept: list[Any], items: list[Any], change: ListPatch, merge_maps: MapMerge) -> list[Any]:
    result = list(kept)
    places: dict[Hashable, int] = {}
    for number, item in enumerate(result):
        places.setdefault(change.key(item), number)
    for item in items:
        key = change.key(item)
        at = places.get(key)
        if at is None:
            places[key] = len(result)
            result.append(cleaned(item))
        else:
            result[at] = merge_maps(result[at], item, change.rules.of_items(), f"{change.place}[{at}]")
    return result


def remove_scalars(value: list[Any], deleted: list[Any], place: str) -> list[Any]:
    """The list without the scalars that `$deleteFromPrimitiveList` names."""
    gone = {_scalar(item, place) for item in deleted}
    return [item for item in value if isinstance(item, dict | list) or _scalar(item, place) not in gone]


def ordered(items: list[Any], order: list[Any], before: list[Any], change: ListPatch) -> list[Any]:
    """Items in `order`; the others keep the places that they had in the list `before`."""
    wanted, had = _positions(order, change), _positions(before, change)
    named = sorted((item for item in items if change.key(item) in wanted), key=lambda item: wanted[change.key(item)])
    others = [item for item in items if change.key(item) not in wanted]
    return list(_woven(others, named, had, change))


def _woven(others: list[Any], named: list[Any], had: dict[Hashable, int], change: ListPatch) -> Iterable[Any]:
    """Both lists in one, each in its own order; an item of `others` comes first where it came first before."""
    done = 0
    for item in named:
        position = had.get(change.key(item), -1)  # an item that is new comes before all others that are left
        while done < len(others) and had.get(change.key(others[done]), position) < position:
            yield others[done]
            done += 1
        yield item
    yield from others[done:]


def unmatched_order(change: ListPatch, order: list[Any]) -> bool:
    """Whether an item of the patch is missing in the wanted order, or comes in another order there."""
    wanted = iter([change.key(item) for item in order])
    return not all(change.key(item) in wanted for item in change.items if not _directive(item))


def _positions(items: Iterable[Any], change: ListPatch) -> dict[Hashable, int]:
    positions: dict[Hashable, int] = {}
    for number, item in enumerate(items):
        positions.setdefault(change.key(item), number)
    return positions


def _unique(items: list[Any], change: ListPatch) -> list[Any]:
    return list({change.key(item): item for item in items}.values())


def _check_types(value: list[Any], patch: list[Any], place: str) -> None:
    kinds = {type(item) for item in (*value, *patch)}
    if list in kinds:
        raise refused(place, "lists of lists are not supported")
    if len(kinds) > 1:
        raise refused(place, "list element types are not identical")


def _scalar(value: Any, place: str) -> Hashable:
    """A scalar that can be looked up; true and 1 are different."""
    if isinstance(value, dict | list):
        raise refused(place, "a merge key is a scalar, not a map or a list")
    return (type(value), value)

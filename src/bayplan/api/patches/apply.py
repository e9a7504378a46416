"""Server-side apply: a configuration is merged into an object, and conflicts with other owners are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.patches.configuration_check import check_configuration
from bayplan.api.patches.field_sets import FieldSet, difference, intersection, paths, union, union_of, with_parents
from bayplan.api.patches.json_values import copied, without_nulls
from bayplan.api.patches.managed_fields import (
    APPLY,
    FieldManager,
    Owned,
    Owners,
    Ownership,
    add_fields,
    changes,
    stored_owners,
    stripped,
    take_fields,
    write_owners,
)
from bayplan.api.patches.object_fields import compare, named_fields, quickly_equal
from bayplan.api.patches.object_merge import merged, without
from bayplan.api.status import Cause, Refusal

if TYPE_CHECKING:
    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.control.store import Object

_KUBECTL = "kubectl"
_BEFORE_APPLY = "before-first-apply"  # owns what an object held when it was applied for the first time
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_MOST_ANNOTATION_BYTES = 256 * 1024  # all annotations of an object together, as in Kubernetes


class _Conflicts(Exception):  # noqa: N818 (an outcome that force or the last-applied annotation may allow)
    """Fields that other managers own and the configuration would change."""

    def __init__(self, fields: dict[Ownership, FieldSet]) -> None:
        self.fields = fields
        super().__init__()


def apply(live: Object | None, config: Object, manager: FieldManager, rules: FieldRules, *, force: bool) -> Object:
    """The object after a configuration is applied, with its owners; `live` is None where it is to be created.

    A field that the manager applied before and does not apply now is removed, unless another manager owns it. Values
    that equal the live ones never conflict: both managers own them. Neither argument is changed.
    """
    config = copied(config)
    check_configuration(config, rules)
    if config.get("metadata") is None:
        config.pop("metadata", None)
    before = live or {}
    owners = _owners_before(before, manager, rules)
    try:
        applied = _applied(before, config, owners, manager, rules, force=force)
    except _Conflicts as conflicts:
        left = _not_allowed(conflicts, before, manager, rules)
        if left:
            raise _refusal(left) from None
        applied = _applied(before, config, owners, manager, rules, force=True)
    if manager.name == _KUBECTL:
        _keep_last_applied(applied, config)
    return applied


def _owners_before(live: Object, manager: FieldManager, rules: FieldRules) -> Owners:
    owners = stored_owners(live)
    if not owners and live:
        first = replace(manager, name=_BEFORE_APPLY)
        add_fields(owners, stripped(changes({}, live, first, rules)[1]), first)
    return owners


def _applied(
    live: Object, config: Object, before: Owners, manager: FieldManager, rules: FieldRules, *, force: bool
) -> Object:
    owners, key = dict(before), manager.key(APPLY)
    last = owners[key].fields if key in owners else {}
    fields = manager.reached(named_fields(config, rules))
    owners[key] = Owned(fields, manager.api_version, before[key].time if key in before else "")
    new = merged(live, config, rules)
    if difference(last, fields):
        new = _pruned(new, owners, last, rules)
    removed, changed = changes(live, new, manager, rules)
    _take_conflicts(owners, changed, key, force=force)
    take_fields(owners, removed, key)
    owners[key] = Owned(stripped(fields), manager.api_version, owners[key].time)
    new = without_nulls(new)
    if key not in before or not _same_object(live, new):
        owners[key].time = manager.time
    if not owners[key].fields:
        del owners[key]
    write_owners(new, owners)
    return new  # type: ignore[no-any-return]


def _same_object(live: Object, new: Object) -> bool:
    return quickly_equal(_bare(live), _bare(new))


def _bare(document: Object) -> Object:
    metadata = {name: each for name, each in document.get("metadata", {}).items() if name != "managedFields"}
    return {**document, "metadata": metadata}


def _pruned(joined: Object, owners: Owners, last: FieldSet, rules: FieldRules) -> Object:
    """The object without the fields that were applied before, are not applied now, and have no other owner."""
    whole = with_parents(named_fields(joined, rules), rules)
    last = with_parents(last, rules)
    rest = without(joined, last, rules)
    kept = with_parents(named_fields(rest, rules), rules)
    owned = with_parents(union_of(each.fields for each in owners.values()), rules)
    rest = without(joined, difference(whole, union(kept, owned)), rules)
    kept = with_parents(named_fields(rest, rules), rules)
    pruned: Object = without(joined, intersection(difference(whole, kept), last), rules, emptied=[])
    return pruned


def _take_conflicts(owners: Owners, changed: FieldSet, key: Ownership, *, force: bool) -> None:
    conflicts = {
        other: shared
        for other, owned in owners.items()
        if other != key and (shared := intersection(owned.fields, changed))
    }
    if conflicts and not force:
        raise _Conflicts(conflicts)
    take_fields(owners, changed, key)


def _not_allowed(
    conflicts: _Conflicts, live: Object, manager: FieldManager, rules: FieldRules
) -> dict[Ownership, FieldSet]:
    """The conflicts without the fields that kubectl itself applied on the client's side before."""
    allowed = _last_applied(live, manager, rules) if manager.name == _KUBECTL else {}
    left = {owner: difference(fields, allowed) for owner, fields in conflicts.fields.items()}
    return {owner: fields for owner, fields in left.items() if fields}


def _last_applied(live: Object, manager: FieldManager, rules: FieldRules) -> FieldSet:
    text = _annotations(live).get(_LAST_APPLIED)
    try:
        document: Any = orjson.loads(text or "")
    except (orjson.JSONDecodeError, TypeError):
        return {}
    if not isinstance(document, dict) or document.get("apiVersion") != manager.api_version:
        return {}
    removed, changed = compare(document, live, rules)
    return difference(named_fields(document, rules), union(removed, changed))


def _annotations(document: Object) -> dict[str, str]:
    annotations = document.get("metadata", {}).get("annotations")
    return annotations if isinstance(annotations, dict) else {}


def _keep_last_applied(applied: Object, config: Object) -> None:
    """Bring the annotation of client-side apply up to date where the object has one."""
    annotations = _annotations(applied)
    if not annotations.get(_LAST_APPLIED):
        return
    metadata = {**config.get("metadata", {})}
    metadata["annotations"] = {name: each for name, each in _annotations(config).items() if name != _LAST_APPLIED}
    if not metadata["annotations"]:
        del metadata["annotations"]
    text = orjson.dumps({**config, "metadata": metadata}, option=orjson.OPT_SORT_KEYS).decode() + "\n"
    annotations[_LAST_APPLIED] = text
    if sum(len(name.encode()) + len(str(each).encode()) for name, each in annotations.items()) > _MOST_ANNOTATION_BYTES:
        del annotations[_LAST_APPLIED]


def _refusal(conflicts: dict[Ownership, FieldSet]) -> Refusal:
    """409 in the wording that kubectl shows, with one cause for each field."""
    found = {
        owner.text(): list(paths(fields))
        for owner, fields in sorted(conflicts.items(), key=lambda each: _rank(each[0]))
    }
    causes = [
        Cause(path, f"conflict with {owner}", "FieldManagerConflict")
        for owner, listed in found.items()
        for path in listed
    ]
    if len(causes) == 1:
        message = f"Apply failed with 1 conflict: {causes[0].message}: {causes[0].field}"
    else:
        lines = [
            line
            for owner, listed in found.items()
            for line in (f"conflicts with {owner}:", *(f"- {path}" for path in listed))
        ]
        message = f"Apply failed with {len(causes)} conflicts: " + "\n".join(lines)
    return Refusal(409, message, causes=causes)


def _rank(owner: Ownership) -> tuple[str, str, str, str]:
    return owner.manager, owner.operation, owner.api_version, owner.subresource

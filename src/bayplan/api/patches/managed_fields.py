"""Who owns which fields of an object: the entries of `metadata.managedFields`, and how an update changes them.

An entry belongs to a manager, an operation (Apply or Update) and a subresource; updates also to an API version. All
versions of a kind have the same fields here, so entries of other versions are compared as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.patches.field_sets import ITSELF, FieldSet, difference, is_field_set, union
from bayplan.api.patches.object_fields import all_fields, compare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.control.store import Object

APPLY, UPDATE = "Apply", "Update"
STATUS = "status"
_MOST_UPDATE_ENTRIES = 10  # the bound of Kubernetes: the oldest entries beyond it become one
_OLD_MANAGER = "ancient-changes"
IGNORED = "bayplan.io/ignored"
"""The annotation that names the fields of an object that have no effect."""
_NEVER_OWNED = ("apiVersion", "kind")
_NOT_OF_A_PART = (*_NEVER_OWNED, "metadata")
_NOTHING: Mapping[str, FieldSet] = MappingProxyType({})
# what the system sets in metadata, or what names the object, has no owner
_NEVER_OWNED_IN_METADATA = frozenset({
    ITSELF, "f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName", "f:generation",
    "f:managedFields", "f:resourceVersion",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldManager:
    """Who changes an object, through which API version, when (RFC 3339), and through which subresource.

    `status_apart` says that the kind has a status of its own: a change of the object does not touch its status, and
    a change of the status nothing else.
    """

    name: str
    api_version: str
    time: str
    subresource: str = ""
    status_apart: bool = True

    def key(self, operation: str) -> Ownership:
        """Under which entry the fields of this manager are kept."""
        version = self.api_version if operation == UPDATE else ""
        return Ownership(self.name or "unknown", operation, version, self.subresource)

    def reached(self, fields: FieldSet) -> FieldSet:
        """The fields that a request can change at all."""
        if self.subresource == STATUS:
            return {"f:status": fields["f:status"]} if "f:status" in fields else {}
        if self.status_apart and "f:status" in fields:
            return {element: node for element, node in fields.items() if element != "f:status"}
        return fields


@dataclass(frozen=True, slots=True)
class Ownership:
    """What makes two entries the same; `api_version` is empty for Apply, which keeps one entry for all versions."""

    manager: str
    operation: str
    api_version: str
    subresource: str

    def text(self) -> str:
        """The owner as a conflict names it."""
        text = orjson.dumps(self.manager).decode()
        if self.subresource:
            text += f' with subresource "{self.subresource}"'
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


@dataclass(slots=True)
class Owned:
    """The fields of one entry."""

    fields: FieldSet
    api_version: str
    time: str = ""


Owners = dict[Ownership, Owned]


def stored_owners(document: Object) -> Owners:
    """The entries of a stored object, which were checked when they came in."""
    entries = document.get("metadata", {}).get("managedFields") or []
    return dict(map(_owner, entries))


def given_owners(entries: Any) -> Owners | None:
    """The entries that a client sends; None where they are not in the form of Kubernetes."""
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        return None
    return dict(map(_owner, entries))


def _owner(entry: dict[str, Any]) -> tuple[Ownership, Owned]:
    operation, version = entry["operation"], entry["apiVersion"]
    subresource, manager = entry.get("subresource") or "", entry.get("manager") or ""
    key = Ownership(manager, operation, version if operation == UPDATE else "", subresource)
    return key, Owned(entry.get("fieldsV1") or {}, version, entry.get("time") or "")


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and entry.get("operation") in (APPLY, UPDATE)
        and entry.get("fieldsType") == "FieldsV1"
        and isinstance(entry.get("apiVersion"), str)
        and entry["apiVersion"] != ""
        and all(isinstance(entry.get(name) or "", str) for name in ("manager", "subresource", "time"))
        and is_field_set(entry.get("fieldsV1") or {})
    )


def write_owners(document: Object, owners: Owners) -> None:
    """Replace the entries of a document; its metadata must be the caller's own."""
    metadata = document.setdefault("metadata", {})
    metadata.pop("managedFields", None)
    if owners:
        ordered = sorted(owners.items(), key=lambda each: (each[0].operation, each[1].time, *_order(each[0], each[1])))
        metadata["managedFields"] = [_entry(key, owned) for key, owned in ordered]


def _order(key: Ownership, owned: Owned) -> tuple[str, str, str]:
    return key.manager, owned.api_version, key.subresource


def _entry(key: Ownership, owned: Owned) -> dict[str, Any]:
    entry = {
        "manager": key.manager,
        "operation": key.operation,
        "apiVersion": owned.api_version,
        "time": owned.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields,
    }
    if key.subresource:
        entry["subresource"] = key.subresource
    if not owned.time:
        del entry["time"]
    return entry


def stripped(fields: FieldSet) -> FieldSet:
    """The fields that can have an owner; a new map, the argument stays as it is."""
    owned = {element: node for element, node in fields.items() if element not in ("f:apiVersion", "f:kind")}
    metadata = owned.pop("f:metadata", None)
    if metadata:
        kept = {element: node for element, node in metadata.items() if element not in _NEVER_OWNED_IN_METADATA}
        if "f:" + IGNORED in kept.get("f:annotations", ()):
            notes = {element: node for element, node in kept["f:annotations"].items() if element != "f:" + IGNORED}
            kept["f:annotations"] = notes  # the server writes this one
        if kept:
            owned["f:metadata"] = kept
    return owned


def part_fields(document: Object, rules: FieldRules) -> dict[str, FieldSet]:
    """All fields of each part of an object but its metadata, by the part's name."""
    return {
        name: all_fields(each, rules.of_field(name)) for name, each in document.items() if name not in _NOT_OF_A_PART
    }


def record_create(
    new: Object, manager: FieldManager, rules: FieldRules, known: Mapping[str, FieldSet] = _NOTHING
) -> None:
    """Record in a new object that the manager owns all its fields; `known` are fields of parts, as far as known."""
    metadata = new.setdefault("metadata", {})
    metadata.pop("managedFields", None)
    fields: FieldSet = {}
    for name, each in new.items():
        if name not in _NEVER_OWNED:
            found = known.get(name)
            fields["f:" + name] = all_fields(each, rules.of_field(name)) if found is None else found
    fields = stripped(manager.reached(fields))
    if fields:
        metadata["managedFields"] = [_entry(manager.key(UPDATE), Owned(fields, manager.api_version, manager.time))]


def record_update(live: Object, new: Object, manager: FieldManager, rules: FieldRules) -> None:
    """Record in `new` who owns its fields after an update or a patch: the manager owns what it changed.

    Owners that the new object brings along replace those of the live one, as kubectl does when it moves an object
    from client-side to server-side apply; an empty list or one empty entry forgets all owners. An object without any
    owner gets none by an update, only by being applied.
    """
    owners = _known_owners(live, new, manager)
    if not owners:
        write_owners(new, {})
        return
    removed, changed = changes(live, new, manager, rules)
    take_fields(owners, union(changed, removed))
    add_fields(owners, stripped(changed), manager)
    merge_old_entries(owners)
    write_owners(new, owners)


def _known_owners(live: Object, new: Object, manager: FieldManager) -> Owners:
    kept = stored_owners(live)
    given = new.get("metadata", {}).get("managedFields")
    if manager.subresource or given is None:
        return kept
    if given in ([], [{}]):
        return {}
    return given_owners(given) or kept


def changes(live: Object, new: Object, manager: FieldManager, rules: FieldRules) -> tuple[FieldSet, FieldSet]:
    """The fields that a request removed, and the fields that it set to another value."""
    removed, changed = compare(_without_owners(live), _without_owners(new), rules)
    return manager.reached(removed), manager.reached(changed)


def _without_owners(document: Object) -> Object:
    metadata = document.get("metadata")
    if not metadata or "managedFields" not in metadata:
        return document
    return {**document, "metadata": {name: each for name, each in metadata.items() if name != "managedFields"}}


def take_fields(owners: Owners, taken: FieldSet, keep: Ownership | None = None) -> None:
    """Take fields from all owners but one; owners that are left with nothing go."""
    for key in [each for each in owners if each != keep]:
        owned = owners[key]
        rest = difference(owned.fields, taken)
        if rest:
            owners[key] = Owned(rest, owned.api_version, owned.time)
        else:
            del owners[key]


def add_fields(owners: Owners, fields: FieldSet, manager: FieldManager) -> None:
    """Give fields to the manager's Update entry, which then has the time of the request."""
    if fields:
        key = manager.key(UPDATE)
        before = owners[key].fields if key in owners else {}
        owners[key] = Owned(union(fields, before), manager.api_version, manager.time)


def merge_old_entries(owners: Owners) -> None:
    """Merge the oldest Update entries of each API version into one while there are too many."""
    updates = sorted(
        (key for key in owners if key.operation == UPDATE), key=lambda key: (owners[key].time, key.manager)
    )
    excess = len(updates) - _MOST_UPDATE_ENTRIES
    first: dict[str, Ownership] = {}
    for key in updates:
        if excess <= 0:
            return
        version = owners[key].api_version
        if version not in first:
            first[version] = key
            continue
        bucket = Ownership(_OLD_MANAGER, UPDATE, version, "")
        if bucket not in owners:
            owners[bucket] = owners.pop(first[version])
        owned = owners.pop(key)
        owners[bucket] = Owned(union(owned.fields, owners[bucket].fields), version, owned.time)
        excess -= 1

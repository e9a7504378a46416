"""The rules of Kubernetes for `metadata`: what a client may say, and what the store alone decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.store_errors import InvalidObjectError, StaleError
from bayplan.stores.refusals import stale

if TYPE_CHECKING:
    from bayplan.control.store import Collection, Key, Object, Stored

# What the store alone says about a new object.
_OWN_ON_CREATE = ("resourceVersion", "generation", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds")
# What an update can neither change nor remove.
_OWN_ON_UPDATE = ("uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds")
# A server-side apply of the status also says who owns its fields.
_WRITTEN_WITH_STATUS = "managedFields"


def invalid(field: str, message: str, following: str = "") -> InvalidObjectError:
    """The refusal of a field of the metadata."""
    return InvalidObjectError(message, place=f"metadata.{field}", next=following)


def metadata_of(document: Object) -> dict[str, Any]:
    """The metadata, with the parts that the store works with in their shape."""
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        raise InvalidObjectError("an object needs metadata", place="metadata", next="write metadata: {name: …}")
    finalizers = metadata.get("finalizers") or []
    if not isinstance(finalizers, list) or not all(isinstance(each, str) for each in finalizers):
        raise invalid("finalizers", "is no list of texts")
    references = metadata.get("ownerReferences") or []
    if not isinstance(references, list) or not all(_is_reference(each) for each in references):
        raise invalid("ownerReferences", "is no list of references with uid, kind and name")
    return metadata


def _is_reference(reference: object) -> bool:
    return isinstance(reference, dict) and all(
        isinstance(reference.get(field), str) and reference[field] for field in ("uid", "kind", "name")
    )


def new_object(collection: Collection, document: Object, *, name: str, uid: str, now: str) -> Object:
    """The document as it is stored first; the caller's own stays as it is."""
    metadata = dict(metadata_of(document))
    if metadata.get("resourceVersion") not in {None, "", "0"}:
        raise invalid("resourceVersion", "is set on an object to be created", "leave it out")
    for field in _OWN_ON_CREATE:
        metadata.pop(field, None)
    if not collection.namespaced:
        metadata.pop("namespace", None)
    metadata |= {"name": name, "uid": uid, "creationTimestamp": now}
    if collection.has_status:
        metadata["generation"] = 1
    return {**document, "metadata": metadata}


def check_expectation(key: Key, document: Object, stored: Stored) -> None:
    """A resourceVersion or uid in the document must be those of the stored object."""
    metadata = metadata_of(document)
    wanted = metadata.get("resourceVersion")
    if wanted not in {None, "", "0", str(stored.revision)}:
        raise stale(key, wanted, stored.revision)
    for field, value in (("name", key.name), ("namespace", key.namespace)):
        if metadata.get(field) not in {None, "", value}:
            raise invalid(field, f"is {metadata[field]!r}, but the object is called {value!r}", "names cannot change")


def check_uid(key: Key, wanted: object, found: str) -> None:
    """A uid that the caller expects must be that of the stored object."""
    if wanted and wanted != found:
        raise StaleError(
            f"the uid is {found}, but {wanted} was expected",
            place=str(key),
            next="another object of that name was created since: read it again",
        )


def changed_object(key: Key, old: Object, new: Object, subresource: str) -> Object:
    """The stored object after an update by `new`, still with the revision of `old`."""
    check_uid(key, new["metadata"].get("uid"), old["metadata"]["uid"])
    if subresource == "status":
        return _with_status(old, new)
    metadata = _kept_metadata(old["metadata"], new["metadata"])
    document = {**new, "metadata": metadata}
    if key.collection.has_status:
        document.pop("status", None)
        if "status" in old:
            document["status"] = old["status"]
        if subresource != "finalize" and _is_namespace(old):
            document["spec"] = old["spec"]  # as in Kubernetes: nothing else stands there than what holds the namespace
        if not _same_content(old, document):
            metadata["generation"] = metadata.get("generation", 0) + 1
    return document


def _is_namespace(document: Object) -> bool:
    return document.get("kind") == "Namespace" and document.get("apiVersion") == "v1" and "spec" in document


def _with_status(old: Object, new: Object) -> Object:
    metadata = dict(old["metadata"])
    if _WRITTEN_WITH_STATUS in new["metadata"]:
        metadata[_WRITTEN_WITH_STATUS] = new["metadata"][_WRITTEN_WITH_STATUS]
    document = {**old, "metadata": metadata}
    document.pop("status", None)
    if "status" in new:
        document["status"] = new["status"]
    return document


def _kept_metadata(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    metadata = dict(new)
    for field in (*_OWN_ON_UPDATE, "resourceVersion", "name", "namespace"):
        metadata.pop(field, None)
        if field in old:
            metadata[field] = old[field]
    if "deletionTimestamp" in old:
        added = set(metadata.get("finalizers") or ()) - set(old.get("finalizers") or ())
        if added:
            names = ", ".join(sorted(added))
            raise invalid("finalizers", f"no new finalizers can be added while the object is being deleted: {names}")
    return metadata


def _same_content(old: Object, new: Object) -> bool:
    """Equal but for metadata and status."""
    left, right = ({**each, "metadata": None, "status": None} for each in (old, new))
    return same_document(left, right)


def same_document(left: Object, right: Object) -> bool:
    """Equal as JSON; Python alone would call 1, 1.0 and true equal."""
    if left != right:
        return False
    if orjson.dumps(left) == orjson.dumps(right):  # nearly always, because both have their keys in one order
        return True
    return orjson.dumps(left, option=orjson.OPT_SORT_KEYS) == orjson.dumps(right, option=orjson.OPT_SORT_KEYS)

"""What Kubernetes demands of the metadata of every object."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from bayplan.api.status import Cause
from bayplan.control.resources.field_checks import MOST_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping

# DNS-1123: names of objects may be 253 characters long, names of namespaces and parts of label keys 63
_SUBDOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"(?=.{1,63}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"(?=.{0,63}\Z)([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_MOST_ANNOTATION_BYTES = 256 * 1024

_LONGEST_KEY = 253 + 1 + 63  # a domain, a slash and a name
_LISTS = ("finalizers", "ownerReferences", "managedFields")
_OF_AN_OWNER = ("apiVersion", "kind", "name", "uid")
_TEXTS = ("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink")
_RULE = "lower case letters, digits, '-' and '.', beginning and ending with a letter or digit, at most 253 characters"
_SHORT_RULE = "lower case letters, digits and '-', beginning and ending with a letter or digit, at most 63 characters"


def metadata_problems(metadata: Mapping[str, Any], *, short_names: bool = False) -> list[Cause]:
    """What is wrong, each with its field, at most MOST_FOUND; `short_names`: the name is one part of a DNS name."""
    found = [
        Cause(f"metadata.{name}", "must be text", "FieldValueTypeInvalid")
        for name in _TEXTS
        if name in metadata and not isinstance(metadata[name], str | None)
    ]
    if found:
        return found
    _check_names(metadata, found, short_names=short_names)
    if (labels := metadata.get("labels")) is not None:
        _check_labels(labels, found)
    if (annotations := metadata.get("annotations")) is not None:
        _check_annotations(annotations, found)
    _check_lists(metadata, found)
    if finalizers := metadata.get("finalizers"):
        _check_finalizers(finalizers, found)
    if owners := metadata.get("ownerReferences"):
        _check_owners(owners, found)
    return found[:MOST_FOUND]


def _check_names(metadata: Mapping[str, Any], found: list[Cause], *, short_names: bool) -> None:
    rule, said = (_LABEL, _SHORT_RULE) if short_names else (_SUBDOMAIN, _RULE)
    name, prefix = metadata.get("name") or "", metadata.get("generateName") or ""
    if not name and not prefix:
        found.append(Cause("metadata.name", "name or generateName is required", "FieldValueRequired"))
    if name and not rule.fullmatch(name):
        found.append(Cause("metadata.name", f"{name[:80]!r} is no valid name: use {said}"))
    if prefix and not rule.fullmatch(prefix.rstrip("-.") + "x"):
        message = f"{prefix[:80]!r} is no valid beginning of a name: use {said}"
        found.append(Cause("metadata.generateName", message))
    namespace = metadata.get("namespace") or ""
    if namespace and not _LABEL.fullmatch(namespace):
        found.append(Cause("metadata.namespace", f"{namespace[:80]!r} is no valid namespace: use {_SHORT_RULE}"))


def _check_labels(labels: Any, found: list[Cause]) -> None:
    if not isinstance(labels, dict):
        found.append(Cause("metadata.labels", "must map text to text", "FieldValueTypeInvalid"))
        return
    for key, value in labels.items():
        if not _is_key(key):
            found.append(_wrong_key(key, "metadata.labels"))
        if not isinstance(value, str):
            found.append(_wrong_value(key, "metadata.labels"))
        elif not _LABEL_VALUE.fullmatch(value):
            rule = "at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
            found.append(Cause("metadata.labels", f"{value[:80]!r} is no valid label value: use {rule}"))
        if len(found) >= MOST_FOUND:
            return


def _check_annotations(annotations: Any, found: list[Cause]) -> None:
    if not isinstance(annotations, dict):
        found.append(Cause("metadata.annotations", "must map text to text", "FieldValueTypeInvalid"))
        return
    size = 0
    for key, value in annotations.items():
        if not _is_key(key.lower()):
            found.append(_wrong_key(key.lower(), "metadata.annotations"))
        if not isinstance(value, str):
            found.append(_wrong_value(key, "metadata.annotations"))
        else:
            size += len(key) + len(value)
        if len(found) >= MOST_FOUND:
            return
    if size > _MOST_ANNOTATION_BYTES:
        message = f"holds {size:,} bytes, and at most {_MOST_ANNOTATION_BYTES:,} are kept"
        found.append(Cause("metadata.annotations", message, "FieldValueTooLong"))


def _is_key(key: str) -> bool:
    """Whether it may be the key of a label or annotation: `[PREFIX/]NAME`."""
    return len(key) <= _LONGEST_KEY and _has_form(key)


@lru_cache(maxsize=4_096)  # objects of a cluster share their keys
def _has_form(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return not (slash and not _SUBDOMAIN.fullmatch(prefix)) and _QUALIFIED.fullmatch(name) is not None


def _wrong_key(key: str, field: str) -> Cause:
    return Cause(field, f"{key[:80]!r} is no valid key: write NAME or DOMAIN/NAME")


def _wrong_value(key: str, field: str) -> Cause:
    return Cause(field, f"the value of {key[:80]!r} must be text; put it in quotes", "FieldValueTypeInvalid")


def _check_lists(metadata: Mapping[str, Any], found: list[Cause]) -> None:
    wrong = (each for each in _LISTS if each in metadata and not isinstance(metadata[each] or [], list))
    found += [Cause(f"metadata.{each}", "must be a list", "FieldValueTypeInvalid") for each in wrong]


def _check_finalizers(finalizers: Any, found: list[Cause]) -> None:
    if isinstance(finalizers, list):
        wrong = (number for number, each in enumerate(finalizers) if not isinstance(each, str) or not each)
        found += [
            Cause(f"metadata.finalizers[{number}]", "must be text", "FieldValueTypeInvalid")
            for number in islice(wrong, MOST_FOUND)
        ]


def _check_owners(owners: Any, found: list[Cause]) -> None:
    if not isinstance(owners, list):
        return
    for number, owner in enumerate(owners):
        place = f"metadata.ownerReferences[{number}]"
        if not isinstance(owner, dict):
            found.append(Cause(place, "must be an object", "FieldValueTypeInvalid"))
            continue
        absent = (field for field in _OF_AN_OWNER if not isinstance(owner.get(field), str) or not owner[field])
        found += [Cause(f"{place}.{field}", "is required", "FieldValueRequired") for field in absent]
        if len(found) >= MOST_FOUND:
            return
    if sum(isinstance(each, dict) and each.get("controller") is True for each in owners) > 1:
        found.append(Cause("metadata.ownerReferences", "only one owner can be the controller"))

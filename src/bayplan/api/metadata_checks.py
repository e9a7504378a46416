"""What Kubernetes demands of the metadata of every object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bayplan.api.status import Cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# DNS-1123: names of objects may be 253 characters long, names of namespaces and parts of label keys 63
_SUBDOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"(?=.{1,63}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"(?=.{0,63}\Z)([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_PATH_SEGMENT = re.compile(r"(?!\.{1,2}\Z)[!-$&-.0-~]{1,253}")  # visible ASCII without / and %
_MOST_ANNOTATION_BYTES = 256 * 1024

_TEXTS = ("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink")
_RULE = "lower case letters, digits, '-' and '.', beginning and ending with a letter or digit, at most 253 characters"


def metadata_problems(metadata: Mapping[str, Any], *, free_names: bool = False) -> Iterator[Cause]:
    """Everything that is wrong, each with its field; `free_names` for kinds whose names need no DNS form."""
    wrong_texts = [name for name in _TEXTS if not isinstance(metadata.get(name, ""), str | None)]
    yield from (Cause(f"metadata.{name}", "must be text", "FieldValueTypeInvalid") for name in wrong_texts)
    if wrong_texts:
        return
    yield from _name_problems(metadata, free_names=free_names)
    yield from _label_problems(metadata.get("labels"))
    yield from _annotation_problems(metadata.get("annotations"))
    for field in ("finalizers", "ownerReferences", "managedFields"):
        if not isinstance(metadata.get(field) or [], list):
            yield Cause(f"metadata.{field}", "must be a list", "FieldValueTypeInvalid")
    yield from _finalizer_problems(metadata.get("finalizers"))
    yield from _owner_problems(metadata.get("ownerReferences"))


def _name_problems(metadata: Mapping[str, Any], *, free_names: bool) -> Iterator[Cause]:
    name, prefix = metadata.get("name") or "", metadata.get("generateName") or ""
    if not name and not prefix:
        yield Cause("metadata.name", "name or generateName is required", "FieldValueRequired")
    rule = _PATH_SEGMENT if free_names else _SUBDOMAIN
    if name and not rule.fullmatch(name):
        yield Cause("metadata.name", f"{name[:80]!r} is no valid name: use {_RULE}")
    if prefix and not rule.fullmatch(prefix.rstrip("-.") + "x"):
        yield Cause("metadata.generateName", f"{prefix[:80]!r} is no valid beginning of a name: use {_RULE}")
    namespace = metadata.get("namespace") or ""
    if namespace and not _LABEL.fullmatch(namespace):
        yield Cause("metadata.namespace", f"{namespace[:80]!r} is no valid namespace: use {_RULE}")


def _label_problems(labels: Any) -> Iterator[Cause]:
    if labels is None:
        return
    if not isinstance(labels, dict):
        yield Cause("metadata.labels", "must map text to text", "FieldValueTypeInvalid")
        return
    for key, value in labels.items():
        yield from key_problems(key, "metadata.labels")
        if not isinstance(value, str):
            message = f"the value of {key[:80]!r} must be text; put it in quotes"
            yield Cause("metadata.labels", message, "FieldValueTypeInvalid")
        elif not _LABEL_VALUE.fullmatch(value):
            rule = "at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
            yield Cause("metadata.labels", f"{value[:80]!r} is no valid label value: use {rule}")


def _annotation_problems(annotations: Any) -> Iterator[Cause]:
    if annotations is None:
        return
    if not isinstance(annotations, dict):
        yield Cause("metadata.annotations", "must map text to text", "FieldValueTypeInvalid")
        return
    size = 0
    for key, value in annotations.items():
        yield from key_problems(key.lower(), "metadata.annotations")
        if not isinstance(value, str):
            message = f"the value of {key[:80]!r} must be text; put it in quotes"
            yield Cause("metadata.annotations", message, "FieldValueTypeInvalid")
        else:
            size += len(key) + len(value)
    if size > _MOST_ANNOTATION_BYTES:
        message = f"holds {size:,} bytes, and at most {_MOST_ANNOTATION_BYTES:,} are kept"
        yield Cause("metadata.annotations", message, "FieldValueTooLong")


def key_problems(key: str, field: str) -> Iterator[Cause]:
    """What is wrong with the key of a label or annotation: `[PREFIX/]NAME`."""
    prefix, slash, name = key.rpartition("/")
    if (slash and not _SUBDOMAIN.fullmatch(prefix)) or not _QUALIFIED.fullmatch(name):
        yield Cause(field, f"{key[:80]!r} is no valid key: write NAME or DOMAIN/NAME")


def _finalizer_problems(finalizers: Any) -> Iterator[Cause]:
    if isinstance(finalizers, list):
        for number, each in enumerate(finalizers):
            if not isinstance(each, str) or not each:
                yield Cause(f"metadata.finalizers[{number}]", "must be text", "FieldValueTypeInvalid")


def _owner_problems(owners: Any) -> Iterator[Cause]:
    if not isinstance(owners, list):
        return
    for number, owner in enumerate(owners):
        place = f"metadata.ownerReferences[{number}]"
        if not isinstance(owner, dict):
            yield Cause(place, "must be an object", "FieldValueTypeInvalid")
            continue
        for field in ("apiVersion", "kind", "name", "uid"):
            if not isinstance(owner.get(field), str) or not owner[field]:
                yield Cause(f"{place}.{field}", "is required", "FieldValueRequired")
    if sum(isinstance(each, dict) and each.get("controller") is True for each in owners) > 1:
        yield Cause("metadata.ownerReferences", "only one owner can be the controller")

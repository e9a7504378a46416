"""ConfigMaps, Secrets and PriorityClasses: what is fixed in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.status import Cause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Object

_FORBIDDEN = "FieldValueForbidden"


def setting_changes(live: Object, new: Object) -> Iterator[Cause]:
    """What is marked as immutable stays as it is, with its mark."""
    if live.get("immutable") is not True:
        return
    if new.get("immutable") is not True:
        yield Cause("immutable", "Forbidden: field is immutable when `immutable` is set", _FORBIDDEN)
    for name in ("data", "binaryData"):
        if (live.get(name) or {}) != (new.get(name) or {}):
            yield Cause(name, "Forbidden: field is immutable when `immutable` is set", _FORBIDDEN)


def secret_changes(live: Object, new: Object) -> Iterator[Cause]:
    """The type of a Secret says what its readers expect; its values are never repeated in an error."""
    if (live.get("type") or "Opaque") != (new.get("type") or "Opaque"):
        yield Cause("type", f"Invalid value: {str(new.get('type'))[:80]!r}: field is immutable")
    yield from setting_changes(live, new)


def class_changes(live: Object, new: Object) -> Iterator[Cause]:
    """Pods keep the number that they got from a class, so it may not change."""
    if live.get("value") != new.get("value"):
        yield Cause("value", "Forbidden: may not be changed in an update.", _FORBIDDEN)
    before, after = (each.get("preemptionPolicy") or "PreemptLowerPriority" for each in (live, new))
    if before != after:
        yield Cause("preemptionPolicy", f"Invalid value: {str(after)[:80]!r}: field is immutable")

"""Which objects of a call are owned by a controller in the same call, so that they are not workloads themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.manifests.owners import TEMPLATE_HASH, Owners, Who, controller_of, told_by_labels
from bayplan.manifests.workloads.objects import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.workloads.objects import Object

_NO_CONTROLLERS = (None, Kind.OTHER, Kind.POD_GROUP, Kind.PRIORITY_CLASS)


class Ownership:
    """The controllers of a call that are workloads, and the objects that they own."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._owners = Owners()
        self._read: set[Who] = set()
        for each in objects:
            if (who := _who(each)) is not None:
                self._owners.add(who, controller_of(_metadata(each), who.namespace))
                if each.kind not in _NO_CONTROLLERS and not each.is_stored:
                    self._read.add(who)

    def is_owned(self, each: Object) -> bool:
        """Whether a controller of this object, direct or indirect, is a workload of the call."""
        who = _who(each)
        if who is None:
            return False
        metadata = _metadata(each)
        labels = metadata.get("labels")
        labels = labels if isinstance(labels, Mapping) else {}
        told = told_by_labels(labels, who.namespace) if each.kind is Kind.POD else None
        if told is not None and told.who in self._read:
            return True
        chain = self._owners.chain(controller_of(metadata, who.namespace), labels.get(TEMPLATE_HASH))
        return any(owner in self._read for owner in chain)


def _metadata(each: Object) -> Mapping[str, Any]:
    found = each.fields.data.get("metadata")
    return found if isinstance(found, Mapping) else {}


def _who(each: Object) -> Who | None:
    """The identity of an object; None for other dialects and objects without a name, which have no owners."""
    metadata = _metadata(each)
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if each.kind is None or not isinstance(name, str):
        return None
    return Who(each.group, each.written, namespace if isinstance(namespace, str) and namespace else "default", name)

"""Contents of Pods that passed every check with nothing to tell: the Pods of one template are checked once."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.patches.managed_fields import part_fields
from bayplan.control.resources.field_checks import check_fields
from bayplan.framework.errors import InputError
from bayplan.manifests.native.metadata import timestamp_s
from bayplan.manifests.workloads.pod_marks import read_marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.api.call import Call
    from bayplan.api.patches.field_sets import FieldSet
    from bayplan.control.store import Object

_CHECKED_ALONE = frozenset({"name", "generateName", "namespace", "uid", "resourceVersion", "labels", "annotations"})
"""What the checks of metadata look at every time."""
_MOST = 256  # contents that are remembered, the oldest is forgotten first
_LONGEST = 16 * 1024  # bytes of one, so that they fit in a few MiB


class Passed:
    """A content that passed: as it is stored, with the fields of each part; shared, so never to be changed in place.

    `told`: it passed as a new object, so there is nothing to tell about it then either.
    """

    __slots__ = ("_fields", "_rules", "_stored", "told")

    def __init__(self, call: Call, stored: Object, *, told: bool) -> None:
        self._stored = {**stored, "metadata": None}
        self._rules = call.rules
        self._fields: Mapping[str, FieldSet] | None = None
        self.told = told

    @property
    def fields(self) -> Mapping[str, FieldSet]:
        """All fields of each part but the metadata; most contents are never asked for them."""
        if self._fields is None:
            self._fields = part_fields(self._stored, self._rules)
        return self._fields

    def stored(self, metadata: dict[str, Any]) -> Object:
        """An object of this content."""
        return {**self._stored, "metadata": metadata}


class PassedContents:
    """Remembers what passed; of the metadata only what the reader of Pods looks at makes a content another one."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Passed] = OrderedDict()

    def key(self, call: Call, document: Object) -> bytes | None:
        """What the checks of an object depend on; None for objects that are checked every time."""
        if call.resource.kind != "Pod" or call.resource.group or call.path.subresource:
            return None
        metadata = document["metadata"]
        if not _metadata_passes(call, metadata):
            return None
        key = orjson.dumps({**document, "metadata": read_marks(metadata, document.get("spec"))})
        return key if len(key) <= _LONGEST else None

    def get(self, key: bytes | None, *, new: bool) -> Passed | None:
        """The content, if it is known to pass; `new` where everything would have to be told."""
        found = None if key is None else self._known.get(key)
        if key is None or found is None or (new and not found.told):
            return None
        self._known.move_to_end(key)
        return found

    def add(self, key: bytes, passed: Passed) -> None:
        """Remember that an object passed, and that there was nothing to tell about it."""
        self._known[key] = passed
        self._known.move_to_end(key)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)


def _metadata_passes(call: Call, metadata: Mapping[str, Any]) -> bool:
    """Whether there is nothing wrong with the rest of the metadata, which differs between Pods of one template."""
    rest = {name: each for name, each in metadata.items() if name not in _CHECKED_ALONE}
    if not rest:
        return True
    report = check_fields(call.resource, {"metadata": rest}, call.api)
    return not report.unknown and not report.causes and _is_moment(rest.get("creationTimestamp"))


def _is_moment(value: Any) -> bool:
    try:
        return value is None or timestamp_s(value) is not None
    except InputError:
        return False

"""Contents of Pods that passed every check with nothing to tell: the Pods of one template are checked once."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from bayplan.api.call import Call
    from bayplan.control.store import Object

_OF_ONE_POD = frozenset({"name", "generateName", "namespace", "uid", "resourceVersion"})
"""What differs between Pods of a template; the checks of metadata look at all of these every time."""
_MOST = 256  # contents that are remembered, the oldest is forgotten first
_LONGEST = 16 * 1024  # bytes of one, so that they fit in a few MiB


class PassedContents:
    """Remembers what passed; a content that differs in anything but the Pod's own name is another one."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def key(self, call: Call, document: Object) -> bytes | None:
        """What the checks of an object depend on; None for objects that are checked every time."""
        if call.resource.kind != "Pod" or call.resource.group or call.path.subresource:
            return None
        metadata = {name: each for name, each in document["metadata"].items() if name not in _OF_ONE_POD}
        key = orjson.dumps({**document, "metadata": metadata})
        return key if len(key) <= _LONGEST else None

    def __contains__(self, key: bytes | None) -> bool:
        if key is None or key not in self._known:
            return False
        self._known.move_to_end(key)
        return True

    def add(self, key: bytes | None) -> None:
        """Remember that an object passed, and that there was nothing to tell about it."""
        if key is not None:
            self._known[key] = None
            if len(self._known) > _MOST:
                self._known.popitem(last=False)

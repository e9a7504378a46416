"""JSON patch (RFC 6902): a list of operations, all of which are done or none.

Two rules are those of the Kubernetes API server, because clients rely on them: `replace` of a field that a map does not
have adds it, and `test` for null passes where a map does not have the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayplan.api.patches.json_values import JsonMap, copied, same, size
from bayplan.api.status import Cause, Refusal
from bayplan.manifests.limits import DOCUMENT

MOST_OPERATIONS = 10_000  # the bound of the Kubernetes API server
_MOST_NODES = DOCUMENT.nodes  # of all values that are copied or moved: copies of copies double with every operation
_MOST_SHIFTS = 50_000_000  # of list items by insertions and removals: about 30 ms of work
_WITH_VALUE = frozenset({"add", "replace", "test"})
_WITH_FROM = frozenset({"move", "copy"})
_OPERATIONS = _WITH_VALUE | _WITH_FROM | {"remove"}
_Parent = dict[str, Any] | list[Any]


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation; paths are unescaped names and indices."""

    number: int
    op: str
    text: str
    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Any = None

    def refused(self, problem: str) -> Refusal:
        message = f"operation {self.number} ({self.op} {self.text}): {problem}"
        return Refusal(422, f"the patch cannot be applied: {message}", "Invalid", [Cause(self.text, problem)])


def json_patch(document: JsonMap, patch: Any) -> JsonMap:
    """The patched document; neither argument is changed, and the patch may be used again."""
    operations = _operations(patch)
    changed = _Document(copied(document))
    for operation in operations:
        changed.apply(operation)
    if not isinstance(changed.root, dict):
        raise Refusal(422, "the patch cannot be applied: what is left is not an object", "Invalid")
    return changed.root


def _operations(patch: Any) -> list[_Operation]:
    if not isinstance(patch, list):
        raise Refusal(400, "error decoding patch: a JSON patch is a list of operations")
    if len(patch) > MOST_OPERATIONS:
        found = f"The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {len(patch)}"
        raise Refusal(413, found)
    return [_operation(number, each) for number, each in enumerate(patch)]


def _operation(number: int, written: Any) -> _Operation:
    place = f"error decoding patch: operation {number}"
    if not isinstance(written, dict):
        raise Refusal(400, f"{place}: an operation is a map with op and path")
    op = written.get("op")
    if not isinstance(op, str) or op not in _OPERATIONS:
        raise Refusal(400, f"{place}: op is none of {', '.join(sorted(_OPERATIONS))}")
    if op in _WITH_VALUE and "value" not in written:
        raise Refusal(400, f"{place}: {op} needs a value")
    path = _pointer(written.get("path"), f"{place}: path")
    source = _pointer(written.get("from"), f"{place}: from") if op in _WITH_FROM else ()
    return _Operation(number, op, written["path"], path, source, written.get("value"))


def _pointer(text: Any, place: str) -> tuple[str, ...]:
    """The names and indices of a JSON pointer (RFC 6901)."""
    if not isinstance(text, str):
        raise Refusal(400, f"{place} is missing or not a string")
    if not text:
        return ()
    if not text.startswith("/"):
        raise Refusal(400, f"{place} {text!r} does not start with /")
    parts = text.split("/")[1:]
    if any(part.replace("~0", "").replace("~1", "").count("~") for part in parts):
        raise Refusal(400, f"{place} {text!r} has a ~ that is neither ~0 nor ~1")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


class _Document:
    """A document while operations change it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.nodes = 0
        self.shifts = 0

    def apply(self, operation: _Operation) -> None:
        match operation.op:
            case "add":
                self.add(operation, copied(operation.value))
            case "remove":
                self.remove(operation, operation.path)
            case "replace":
                self.replace(operation)
            case "move":
                self.move(operation)
            case "copy":
                self.add(operation, self.copy(operation))
            case _:
                self.test(operation)

    def add(self, operation: _Operation, value: Any) -> None:
        _check_depth(operation, value)
        self.put(operation, value)

    def put(self, operation: _Operation, value: Any) -> None:
        path = operation.path
        if not path:
            self.root = value
            return
        parent, last = self.parent(operation, path), path[-1]
        if isinstance(parent, dict):
            parent[last] = value
        elif last == "-":
            parent.append(value)
        else:
            index = _index(operation, last, len(parent))
            self.count(operation, shifts=len(parent) - index)
            parent.insert(index, value)

    def remove(self, operation: _Operation, path: tuple[str, ...]) -> Any:
        if not path:
            raise operation.refused("the whole object cannot be removed")
        self.get(operation, path)
        parent, last = self.parent(operation, path), path[-1]
        if isinstance(parent, dict):
            return parent.pop(last)
        self.count(operation, shifts=len(parent) - int(last))
        return parent.pop(int(last))

    def replace(self, operation: _Operation) -> None:
        path, value = operation.path, copied(operation.value)
        parent = self.parent(operation, path) if path else None
        if isinstance(parent, list):
            _check_depth(operation, value)
            parent[_index(operation, path[-1], len(parent) - 1)] = value
        else:
            self.add(operation, value)

    def move(self, operation: _Operation) -> None:
        source, path = operation.source, operation.path
        if path[: len(source)] == source and len(path) > len(source):
            raise operation.refused("a value cannot be moved into itself")
        value = self.get(operation, source)
        if source == path:
            return
        if len(path) > len(source):
            self.count(operation, nodes=size(value)[0])
            _check_depth(operation, value)
        self.put(operation, self.remove(operation, source))

    def copy(self, operation: _Operation) -> Any:
        value = self.get(operation, operation.source)
        self.count(operation, nodes=size(value)[0])
        return copied(value)

    def count(self, operation: _Operation, *, nodes: int = 0, shifts: int = 0) -> None:
        """Refuse a patch whose work would be out of proportion to its length."""
        self.nodes += nodes
        self.shifts += shifts
        if self.nodes > _MOST_NODES:
            raise operation.refused(f"the values that this patch copies or moves have more than {_MOST_NODES} nodes")
        if self.shifts > _MOST_SHIFTS:
            raise operation.refused("this patch changes the start of long lists too often; replace the list")

    def test(self, operation: _Operation) -> None:
        path, value = operation.path, operation.value
        if value is None and path:
            parent = self.parent(operation, path)
            if isinstance(parent, dict) and path[-1] not in parent:
                return
        if not same(self.get(operation, path), value):
            raise operation.refused("test failed: the value is another one")

    def get(self, operation: _Operation, path: tuple[str, ...]) -> Any:
        """The value at a path; refused where there is none."""
        value = self.root
        for number, part in enumerate(path):
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list):
                value = value[_index(operation, part, len(value) - 1)]
            else:
                raise operation.refused(f"the object has no value at {_text(path[: number + 1])}")
        return value

    def parent(self, operation: _Operation, path: tuple[str, ...]) -> _Parent:
        parent = self.get(operation, path[:-1])
        if not isinstance(parent, dict | list):
            raise operation.refused(f"the value at {_text(path[:-1])} is neither a map nor a list")
        return parent


def _check_depth(operation: _Operation, value: Any) -> None:
    if len(operation.path) + size(value)[1] > DOCUMENT.depth:
        raise operation.refused(f"the result would be nested more than {DOCUMENT.depth} levels deep")


def _index(operation: _Operation, part: str, most: int) -> int:
    """A position in a list, 0 to `most`; leading zeros and signs are no indices (RFC 6901)."""
    if not (part.isascii() and part.isdigit()) or (part[0] == "0" and part != "0"):
        raise operation.refused(f"{part!r} is no index of a list")
    if len(part) > len(str(most)) or int(part) > most:
        raise operation.refused(f"the list has no position {part}")
    return int(part)


def _text(path: tuple[str, ...]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path) or "the root"

"""Values that only configurations of routing hold: quantities, times, feature gates and references to plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bayplan.cluster.quantities import parse_amount
from bayplan.framework.config.foreign_values import shown
from bayplan.framework.config.shapes import BROKEN
from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.routing.factors.duration import seconds_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.framework.config.declarations import Declarations
    from bayplan.framework.config.findings import Findings
    from bayplan.framework.config.place import Place

GATES: Final[Mapping[str, bool]] = {
    "flowControl": False,
    "haPopulateNonLeaderDatastore": True,
    "dataLayer": True,
    "enableLegacyMetrics": False,
}
"""The feature gates, and whether each is on where nothing is said."""

_WORDS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A whole amount as Kubernetes writes it; parts of one count as one."""

    words: str = "a quantity"
    example: str = "write one such as 500, 1k or 10Gi"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        try:
            return parse_amount(value, "", rounding="up")
        except InputError as problem:
            findings.add(place, problem.message, self.example)
            return BROKEN

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}


@dataclass(frozen=True, slots=True)
class Duration:
    """A time with its unit; in seconds once it is read."""

    words: str = "a time"
    example: str = "write one such as 200ms, 60s or 1m30s"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        if type(value) is int and value == 0:
            return 0.0
        found = seconds_of(value) if isinstance(value, str) else None
        if found is None:
            findings.add(place, f"{shown(value)} is not a time", self.example)
            return BROKEN
        return found

    def show(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else f"{value:g}s"

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of an entry of `plugins` of one kind; once it is read, the entry itself.

    Without `plugins` the name is not looked up, as for a schema.
    """

    kind: str
    plugins: Declarations | None = None
    words: str = "a name"
    example: str = "name an entry of `plugins`"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        if not isinstance(value, str) or not value:
            findings.add(place, f"{shown(value)} is not {self.words}", self.example)
            return BROKEN
        if self.plugins is None:
            return value
        found = self.plugins.find(value, place, findings)
        if found is None or found.type is None:
            return BROKEN
        if not found.is_a(self.kind):
            known = [each.name for each in self.plugins.registry if self.kind in each.kinds]
            message = f"{value!r} is no {self.kind}; its kind is {' and '.join(found.type.kinds)}"
            findings.add(place, message, f"such plugins are: {', '.join(known)}")
            return BROKEN
        return found

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class Gates:
    """Feature gates: `NAME` or `NAME=true|false` each; our own documents may also write a mapping of true and false."""

    mapped: bool = False
    words: str = "a list of feature gates"
    example: str = "write it as [flowControl, dataLayer=false]"

    def read(self, value: Any, place: Place, findings: Findings) -> Any:
        entries: Iterator[tuple[Place, Any, Any, Any]]
        if self.mapped and isinstance(value, Mapping):
            entries = ((place.at(str(name)), on, name, on) for name, on in value.items())
        elif isinstance(value, list | tuple):
            entries = ((place.at(index), entry, *_split(entry)) for index, entry in enumerate(value))
        else:
            findings.add(place, f"{shown(value)} is not {self.words}", self.example)
            return BROKEN
        return {name: on for where, written, name, on in entries if _is_gate(written, name, on, where, findings)}

    def show(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        words = [name + end for name in GATES for end in ("", "=true", "=false")]
        listed = {"type": "array", "items": {"enum": words}}
        if not self.mapped:
            return listed
        names = {"type": "object", "properties": {name: {"type": "boolean"} for name in GATES}}
        return {"anyOf": [listed, {**names, "additionalProperties": False}]}


def _split(entry: Any) -> tuple[Any, Any]:
    """The name of a gate and whether it is on; what is neither true nor false stays as it is."""
    if not isinstance(entry, str):
        return entry, True
    name, equals, word = entry.partition("=")
    return name.strip(), _WORDS.get(word.strip().lower(), word.strip()) if equals else True


def _is_gate(written: Any, name: Any, on: Any, place: Place, findings: Findings) -> bool:
    if not isinstance(name, str) or name not in GATES:
        near = did_you_mean(name, GATES) if isinstance(name, str) else f"there are: {', '.join(GATES)}"
        said = "" if written == name else f" ({shown(written)})"
        findings.add(place, f"no feature gate is called {shown(name)}{said}", near)
        return False
    if not isinstance(on, bool):
        findings.add(place, f"{shown(written)} is neither true nor false", f"write {name}=true or {name}=false")
        return False
    return True

"""The entries of `plugins` in a configuration, each made into the plugin it stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.config.document import PLUGIN
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place, clip
from bayplan.framework.config.shapes import BROKEN, built
from bayplan.framework.errors import UnknownPluginError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.framework.registry import PluginType, Registry


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """One entry: under its name, with the plugin made from its parameters.

    An entry with a problem is kept without what could not be made, so that entries that refer to it are not blamed too.
    `values` are its parameters as the plugin was told them, `given` as the document has them.
    """

    name: str
    place: Place
    type: PluginType | None = None
    plugin: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    def is_a(self, *kinds: str) -> bool:
        return self.type is not None and not set(kinds).isdisjoint(self.type.kinds)

    @property
    def reads(self) -> tuple[str, ...]:
        """Also what it reads only to explain: that must be made too."""
        if self.plugin is None:
            return ()
        return (*getattr(self.plugin, "reads", ()), *getattr(self.plugin, "explain_reads", ()))

    @property
    def produces(self) -> tuple[str, ...]:
        return tuple(self.plugin.produces) if self.plugin is not None and self.is_a("producer") else ()

    def document(self) -> dict[str, Any]:
        """The entry with every default filled in."""
        if self.type is None:
            return {"name": self.name}
        return {"type": self.type.name, "name": self.name, "parameters": self.type.parameters.full(self.values)}


class Declarations:
    """All entries by name, and the entries that are added because another one needs them.

    `whole` says that every entry has a name: only then can a reference be said to lead nowhere.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.whole = True
        self._by_name: dict[str, Declaration] = {}

    def __iter__(self) -> Iterator[Declaration]:
        return iter(self._by_name.values())

    def find(self, name: str, place: Place, findings: Findings) -> Declaration | None:
        """The entry that a reference means; says so if there is none."""
        found = self._by_name.get(name)
        if found is None and self.whole:
            step = f"declare it: {{type: {name}}}" if name in self.registry else did_you_mean(name, self._by_name)
            findings.add(place, f"no entry of `plugins` is called {clip(name)!r}", step)
        return found

    def of(self, kind: str) -> list[Declaration]:
        return [each for each in self if each.is_a(kind)]

    def read(self, entries: Any, findings: Findings) -> None:
        """Take in the document's entries."""
        if entries is BROKEN:
            self.whole = False
            return
        for index, entry in enumerate(entries):
            place = Place(("plugins", index))
            values = PLUGIN.values(entry, place, findings)
            if values is BROKEN:
                self.whole = False
            else:
                self._declare(values, place, findings)

    def add(self, type_: PluginType) -> Declaration:
        """An entry that the document left out: one of this type that is there already, else a new one."""
        for each in self:
            if each.type is type_:
                return each
        return self.include(type_, {}, Place(("plugins",)), Findings())

    def ensure(self, type_: PluginType, kind: str) -> Declaration:
        """The entry whose name is the name of this type, if it is of the kind, else a new one of the type."""
        there = self._by_name.get(type_.name)
        if there is not None and (there.type is None or there.is_a(kind)):
            return there
        return self.include(type_, {}, Place(("plugins",)), Findings())

    def include(
        self, type_: PluginType, given: Mapping[str, Any], place: Place, findings: Findings, name: str = ""
    ) -> Declaration:
        """A new entry, written elsewhere in the document: its parameters stand at `place`.

        Its name is the given one or that of its type, with a number where that is taken.
        """
        free = next(each for each in _numbered(name or type_.name) if each not in self._by_name)
        plugin, told = _make(type_, given, place, place, findings)
        added = Declaration(free, place, type_, plugin, told, given)
        self._by_name[free] = added
        return added

    def _declare(self, values: Mapping[str, Any], place: Place, findings: Findings) -> None:
        name = values.get("name") or values["type"]
        if name is BROKEN:
            self.whole = False
            return
        type_ = self._type(values["type"], place, findings)
        given = values.get("parameters") or {}
        plugin: Any = None
        told: Mapping[str, Any] = {}
        if type_ is not None and given is not BROKEN:
            plugin, told = _make(type_, given, place, place.at("parameters"), findings)
        if (former := self._by_name.get(name)) is not None:
            message = f"{name!r} is the name of {former.place} too"
            findings.add(place.at("name"), message, "give one of them another name")
            return
        self._by_name[name] = Declaration(name, place, type_, plugin, told, {} if given is BROKEN else given)

    def _type(self, name: Any, place: Place, findings: Findings) -> PluginType | None:
        if name is BROKEN:
            return None
        try:
            return self.registry.find(name)
        except UnknownPluginError as problem:
            findings.add(place.at("type"), problem.message, problem.next)
            return None


def _make(
    type_: PluginType, given: Mapping[str, Any], place: Place, told: Place, findings: Findings
) -> tuple[Any, Mapping[str, Any]]:
    """The plugin of an entry and the values that it was made with; `told` is where its parameters stand."""
    parameters = type_.parameters
    values = parameters.values(given, told, findings)
    if values is BROKEN:
        return None, {}
    plugin = built(parameters.build, values, told, parameters.fields, findings)
    if plugin is BROKEN:
        return None, {}
    for attribute in _declared_by(type_):
        columns = getattr(plugin, attribute, None)
        if not _are_names(columns):
            message = f"the plugin {type_.name!r} does not say what it {attribute}: {columns!r}"
            findings.add(place.at("type"), message, f"its author adds `{attribute} = (…)`, a tuple of column names")
            return None, {}
    return plugin, values


def _declared_by(type_: PluginType) -> Sequence[str]:
    if "producer" in type_.kinds:
        return ("reads", "produces")
    return ("reads",) if {"filter", "scorer"} & set(type_.kinds) else ()


def _are_names(columns: Any) -> bool:
    return isinstance(columns, tuple | list) and all(isinstance(each, str) for each in columns)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2  # the first one has the plain name
    while True:
        yield f"{name}-{number}"
        number += 1

"""Where the columns come from that a configuration's plugins read: the table, a producer, or nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.nearest import did_you_mean
from bayplan.framework.registry import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.config.findings import Findings
    from bayplan.framework.config.place import Place
    from bayplan.framework.registry import PluginType
    from bayplan.framework.schema import Schema


class DataFlow:
    """Gives each profile the producers it needs.

    A column is the table's where the table's schema is known and holds it, else its producer's: a declared one, else
    a built-in that needs no parameter. Where no schema is known, a column that no plugin produces is taken to be the
    table's; the scheduler checks that when it is bound to one.
    """

    def __init__(self, plugins: Declarations, findings: Findings) -> None:
        self._plugins = plugins
        self._findings = findings
        self._told: set[tuple[str, str]] = set()
        self._built_in = _offers(plugins.registry)
        self._makers = self._find_makers()
        self._refuse_cycles()

    def give_producers(self, draft: Draft, schema: Schema | None) -> None:
        """Fill in the draft's producers; say which columns are not made."""
        waiting = [(use.plugin, use.place.at("pluginRef")) for use in draft.uses if use.plugin.is_a("filter", "scorer")]
        while waiting:
            reader, place = waiting.pop(0)
            for column in reader.reads:
                maker = None if schema is not None and column in schema.names else self._maker(column)
                if maker is None:
                    self._check(column, reader, place, schema)
                elif maker not in draft.producers:
                    draft.producers.append(maker)
                    self._refuse_doubles(maker, schema)
                    waiting.append((maker, maker.place))

    def _find_makers(self) -> dict[str, Declaration]:
        makers: dict[str, Declaration] = {}
        for declared in self._plugins.of("producer"):
            for column in declared.produces:
                former = makers.setdefault(column, declared)
                if former is not declared:
                    message = f"{declared.name!r} produces {column!r}, and so does {former.name!r}"
                    self._findings.add(declared.place, message, "remove one of them")
        return makers

    def _maker(self, column: str) -> Declaration | None:
        maker = self._makers.get(column)
        if maker is None and column in self._built_in:
            maker = self._plugins.add(self._built_in[column])
            self._makers.update({name: maker for name in maker.produces if name not in self._makers})
        return maker

    def _check(self, column: str, reader: Declaration, place: Place, schema: Schema | None) -> None:
        if schema is None or column in schema.names or (str(place), column) in self._told:
            return
        self._told.add((str(place), column))
        known = {*schema.names, *self._makers, *self._built_in}
        message = f"{reader.name!r} reads the column {column!r}, which neither the table nor a producer makes"
        self._findings.add(place, message, did_you_mean(column, known))

    def _refuse_doubles(self, maker: Declaration, schema: Schema | None) -> None:
        for column in maker.produces:
            if schema is not None and column in schema.names and (maker.name, column) not in self._told:
                self._told.add((maker.name, column))
                message = f"{maker.name!r} produces {column!r}, and so does the table"
                self._findings.add(maker.place, message, "remove it, or rename its column")

    def _refuse_cycles(self) -> None:
        before = {each: self._feeding(each) for each in self._plugins.of("producer")}
        while _drop_ready(before):
            ring = _ring(before)
            names = " -> ".join(repr(each.name) for each in (*ring, ring[0]))
            first = min(ring, key=lambda each: each.place.steps[1:])
            self._findings.add(first.place, f"producers need each other's columns: {names}", "break the cycle")
            for each in ring:
                del before[each]

    def _feeding(self, producer: Declaration) -> list[Declaration]:
        return [self._makers[column] for column in producer.reads if column in self._makers]


def _drop_ready(before: dict[Declaration, list[Declaration]]) -> bool:
    """Take away producers that wait for no other, again and again; True if some are left, which wait for each other."""
    while ready := [each for each, needs in before.items() if before.keys().isdisjoint(needs)]:
        for each in ready:
            del before[each]
    return bool(before)


def _ring(before: Mapping[Declaration, Iterable[Declaration]]) -> list[Declaration]:
    """One cycle in a graph in which each node waits for another."""
    path = [next(iter(before))]
    while True:
        following = next(each for each in before[path[-1]] if each in before)
        if following in path:
            return path[path.index(following) :]
        path.append(following)


def _offers(types: Iterable[PluginType]) -> dict[str, PluginType]:
    """The columns that built-in producers make without being told anything."""
    offers: dict[str, PluginType] = {}
    for each in types:
        if (
            each.origin == BUILT_IN
            and "producer" in each.kinds
            and not any(field.required for field in each.parameters.fields)
        ):
            offers.update(dict.fromkeys(each.produces or (), each))
    return offers

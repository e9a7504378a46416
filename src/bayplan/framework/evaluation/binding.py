"""A profile bound to a table's columns: what each plugin depends on, and the stages that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from bayplan.framework.errors import ConfigError, InputError, PluginError, Problem
from bayplan.framework.plugins import Depends
from bayplan.framework.rows import view_type, viewer
from bayplan.framework.schema import is_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.observing import Observed
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.profile import Named, Profile
    from bayplan.framework.rows import Rows
    from bayplan.framework.schema import Schema


MOST_PARTS = 256
"""Sets of active plugins that are remembered. Profiles have few; without a bound ten plugins would make a thousand."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """One plugin in its place: its callable, its view of the rows, and what its answer depends on."""

    name: str
    plugin: Any
    call: Callable[..., Any]
    view: type[Rows]
    explain_view: type[Rows]
    show: Callable[[Mapping[str, Any], int], Rows]
    depends: Depends
    weight: float = 1.0
    level: int = 0
    scale: float = 1.0
    required: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        return self.view.reads


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Plugins that are asked together, of one dependence, in profile order."""

    producers: tuple[Bound, ...]
    filters: tuple[Bound, ...]
    scorers: tuple[Bound, ...]
    columns: tuple[str, ...]  # of the table
    shared: tuple[str, ...]
    made: tuple[str, ...]  # by producers of earlier stages
    weights: tuple[FloatArray, ...]  # without dimension: half the price of a Python number as an operand

    def __bool__(self) -> bool:
        return bool(self.producers or self.filters or self.scorers)


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """The stages of a profile over a schema.

    Row-by-row filters commute with each other but not with a TABLE filter: the ones behind the first TABLE
    filter are kept in `tail`, in order, and see what it left. TABLE scorers come last, on the final survivors.
    """

    profile: Profile
    schema: Schema
    levels: tuple[int, ...]
    filters: tuple[Bound, ...]
    scorers: tuple[Bound, ...]  # in the order of addition
    producers: tuple[Bound, ...]  # in the order of need
    static: Stage
    row: Stage
    cycle: Stage
    tail: tuple[Bound, ...]
    table: Stage
    shared: tuple[str, ...]  # what the kept answers depend on
    kept: tuple[str, ...]  # columns made by ROW producers that later stages read
    inputs: tuple[str, ...]  # table columns that the kept scorers' contributions can be made from again
    observed: Observed | None = None  # who is told of each plugin's call, so that none may be left out
    whole: Binding | None = None  # the binding of all plugins, where some of them skip
    inactive: tuple[str, ...] = ()  # the plugins that skip
    _parts: dict[tuple[Bound, ...], Binding] = field(default_factory=dict, init=False, repr=False)

    @property
    def late(self) -> bool:
        """Whether anything has to be asked anew in every cycle."""
        return bool(self.cycle or self.tail or self.table)

    def late_error(self) -> InputError:
        """The error where hypothetical rows are asked about, and some plugin does not judge each row by itself."""
        step = "ask it on a fork, or ask the evaluator that `active(ask, cycle)` gives where those plugins skip"
        return InputError("looks at the cycle or at other rows", place=f"profile {self.profile.name}", next=step)

    @property
    def uses(self) -> tuple[Bound, ...]:
        """All plugins, each in its place."""
        return (*self.producers, *self.filters, *self.scorers)

    def without(self, skips: tuple[Bound, ...]) -> Binding:
        """The binding of the other plugins, and of the producers that they still need."""
        if not skips:
            return self
        part = self._parts.get(skips)
        if part is None:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()  # all at once: the sets in use are soon back, and no order of use has to be kept
            part = self._parts[skips] = _part(self, skips)
        return part


def bind(profile: Profile, schema: Schema, observed: Observed | None = None) -> Binding:
    """Work out the stages; ConfigError for columns that no plugin makes, or producers that need each other."""
    producers, made = _order_producers(profile, schema)
    known = _Known(schema, made, observed)
    filters = tuple(known.bound(use.plugin, use.name, "mask", "filter") for use in profile.named_filters)
    # one level even without scorers: it holds the refusals
    levels = tuple(sorted({use.level for use in profile.weighted})) or (0,)
    scorers = [
        known.bound(use.scorer, use.key, "score", "scorer", weight=float(use.weight), level=levels.index(use.level))
        for use in profile.weighted
    ]
    scorers.sort(key=lambda use: use.depends)  # stable: profile order within each dependence
    makers = tuple(known.bound(use.plugin, use.name, "produce", "producer") for use in producers)
    makers = _needed(makers, (*filters, *scorers))
    return _arranged(profile, schema, levels, filters, tuple(scorers), makers, observed=observed)


def _arranged(
    profile: Profile,
    schema: Schema,
    levels: tuple[int, ...],
    filters: tuple[Bound, ...],
    scorers: tuple[Bound, ...],
    makers: tuple[Bound, ...],
    **more: Any,
) -> Binding:
    """These plugins in their stages."""
    first = next((place for place, use in enumerate(filters) if use.depends is Depends.TABLE), len(filters))
    head, tail = filters[:first], filters[first:]

    def stage(depends: Depends) -> Stage:
        return _stage(
            schema,
            # there is no TABLE stage of producers
            tuple(use for use in makers if min(use.depends, Depends.CYCLE) is depends),
            tuple(use for use in head if use.depends is depends),
            tuple(use for use in scorers if use.depends is depends),
        )

    static, row, cycle = stage(Depends.STATIC), stage(Depends.ROW), stage(Depends.CYCLE)
    table = stage(Depends.TABLE)
    row_made = {name for use in row.producers for name in use.plugin.produces}
    late_reads = {
        name for use in (*cycle.producers, *cycle.filters, *tail, *cycle.scorers, *table.scorers) for name in use.reads
    }
    early = (*static.producers, *static.scorers, *row.producers, *row.scorers)
    return Binding(
        profile, schema, levels, filters, scorers, makers, static, row, cycle, tail, table,
        shared=tuple(name for name in row.shared if name not in schema.constants),
        kept=tuple(sorted(row_made & late_reads)),
        # Without columns that producers make: these are made again from the inputs.
        inputs=tuple(sorted({name for use in early for name in use.reads} & (schema.static | schema.state))),
        **more,
    )  # fmt: skip


def _part(whole: Binding, skips: Sequence[Bound]) -> Binding:
    """The binding without these plugins; PluginError where a column would be read that is then not made."""
    gone = frozenset(skips)
    filters, scorers, makers = (
        tuple(use for use in uses if use not in gone) for uses in (whole.filters, whole.scorers, whole.producers)
    )
    makers = _needed(makers, (*filters, *scorers))
    for reader in (*makers, *filters, *scorers):
        for use in whole.producers:
            if use in gone and (read := set(use.plugin.produces).intersection(reader.explain_view.reads)):
                message = f"skips this run, but {reader.name!r} takes part and reads its column {min(read)!r}"
                raise PluginError(use.name, message, next=f"let {reader.name!r} skip too, or make the column")
    names = tuple(dict.fromkeys(use.name for use in skips))
    more = {"whole": whole, "inactive": names, "observed": whole.observed}
    return _arranged(whole.profile, whole.schema, whole.levels, filters, scorers, makers, **more)


class _Known:
    """Which columns there are, and how steady each of them is."""

    def __init__(self, schema: Schema, made: Mapping[str, Depends], observed: Observed | None) -> None:
        self._schema = schema
        self._made = made
        self._observed = observed

    def bound(self, plugin: Any, name: str, method: str, kind: str, **more: Any) -> Bound:
        call = getattr(plugin, method)
        depends = dependence(plugin, self._schema, self._made)
        if depends >= Depends.CYCLE:
            call = _with_own_chance(call, name)
        view = view_type(name, tuple(dict.fromkeys(plugin.reads)))
        told = tuple(dict.fromkeys((*plugin.reads, *explain_reads(plugin))))
        return Bound(
            name=name,
            plugin=plugin,
            call=call if self._observed is None else self._observed.wrap(kind, name, call),
            view=view,
            explain_view=view if told == view.reads else view_type(name, told),
            show=viewer(view),
            depends=depends,
            scale=float(getattr(plugin, "scale", 1)),
            required=bool(getattr(plugin, "required", False)),
            **more,
        )


def _with_own_chance(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The plugin's draws depend on its name, not on the draws of other plugins."""
    stream = crc32(name.encode())  # not `hash`: Python salts that anew in every process

    def asked(ask: Any, rows: Rows, cycle: Cycle) -> Any:
        cycle.draw_from(stream)
        return call(ask, rows, cycle)

    return asked


def explain_reads(plugin: Any) -> tuple[str, ...]:
    """Columns that a filter looks at only to explain: they are never gathered to decide."""
    more: tuple[str, ...] = getattr(plugin, "explain_reads", ())
    return more


def dependence(plugin: Any, schema: Schema, made: Mapping[str, Depends]) -> Depends:
    """What a plugin's answer depends on: what it declares, or the least steady column that it reads."""
    read = [made.get(name, schema.depends(name) or Depends.STATIC) for name in plugin.reads]
    return Depends(max(*read, getattr(plugin, "depends", Depends.STATIC), Depends.STATIC))


def _order_producers(profile: Profile, schema: Schema) -> tuple[list[Named], dict[str, Depends]]:
    """Producers in the order of what they read and produce, and how steady their columns are."""
    waiting, ordered = list(profile.named_producers), []
    made: dict[str, Depends] = {}
    promised = {name for use in waiting for name in use.plugin.produces}
    problems = [*_unreadable(profile, schema, promised), *_unproducible(profile, schema, promised)]
    if problems:
        raise ConfigError(tuple(problems))
    while waiting:
        # not promised: of the table
        ready = [use for use in waiting if all(c in made or c not in promised for c in use.plugin.reads)]
        if not ready:
            names = ", ".join(sorted(use.name for use in waiting))
            message = f"producers need each other's columns: {names}"
            raise ConfigError((Problem(f"profile {profile.name}", message, "break the cycle"),))
        for use in ready:
            steady = min(dependence(use.plugin, schema, made), Depends.CYCLE)  # a TABLE producer is asked once a cycle
            made.update(dict.fromkeys(use.plugin.produces, steady))
            ordered.append(use)
            waiting.remove(use)
    return ordered, made


def _unreadable(profile: Profile, schema: Schema, promised: set[str]) -> Iterator[Problem]:
    """Columns that a plugin reads, and that neither the table nor a producer has."""
    known = schema.names | promised
    readers = [(use.name, use.plugin) for use in (*profile.named_filters, *profile.named_producers)]
    for name, plugin in (*readers, *((use.key, use.scorer) for use in profile.weighted)):
        for column in (*plugin.reads, *explain_reads(plugin)):
            if column not in known:
                message = f"{name!r} reads {column!r}, which no plugin produces"
                yield Problem(f"profile {profile.name}", message, f"there are: {', '.join(sorted(known))}")


def _unproducible(profile: Profile, schema: Schema, promised: set[str]) -> Iterator[Problem]:
    """Columns that cannot be shown, or that two make."""
    place = f"profile {profile.name}"
    for column in sorted(promised):
        makers = [repr(use.name) for use in profile.named_producers if column in use.plugin.produces]
        if not is_name(column):
            yield Problem(place, f"{makers[0]} produces {column!r}, no name for a column", "use a plain identifier")
        if column in schema.names:
            makers.append("the table")
        if len(makers) > 1:
            yield Problem(place, f"{makers[0]} produces {column!r}, and so does {makers[1]}", "rename one")


def _needed(makers: Sequence[Bound], readers: Iterable[Bound]) -> tuple[Bound, ...]:
    """Only the producers whose columns are read, directly or through another producer."""
    wanted = {name for use in readers for name in use.explain_view.reads}
    needed: list[Bound] = []
    for use in reversed(makers):  # backwards: a producer may be needed only by a later one
        if not wanted.isdisjoint(use.plugin.produces):
            needed.append(use)
            wanted.update(use.reads)
    return tuple(reversed(needed))


def _stage(
    schema: Schema, producers: tuple[Bound, ...], filters: tuple[Bound, ...], scorers: tuple[Bound, ...]
) -> Stage:
    read = {name for use in (*producers, *filters, *scorers) for name in use.reads}
    own = {name for use in producers for name in use.plugin.produces}
    return Stage(
        producers,
        filters,
        scorers,
        columns=tuple(sorted(read & (schema.static | schema.state))),
        shared=tuple(sorted(read & schema.shared)),
        made=tuple(sorted(read - schema.names - own)),
        weights=tuple(np.array(use.weight) for use in scorers),
    )

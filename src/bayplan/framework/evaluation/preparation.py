"""Which plugins of a profile take part in a run: each `prepare` is asked before any plugin is asked about rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.stages import broken
from bayplan.framework.plugins import SKIP, Depends

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.schema import Schema
    from bayplan.framework.table import AnyTable


class TableFacts:
    """What the `prepare` of a STATIC or ROW plugin is given for a table: the facts that never change.

    Its answers are kept per class of asks, so whether it takes part may depend on the ask and on these facts only.
    """

    __slots__ = ("schema", "shared")

    def __init__(self, table: AnyTable) -> None:
        self.schema: Schema = table.schema
        self.shared: Mapping[str, Any] = {name: table.shared[name] for name in table.schema.constants}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself probes such names, and expects AttributeError where they are missing
            raise AttributeError(name)
        raise PluginError(
            "?",
            f"looks at table.{name} in prepare, but its answers are kept from cycle to cycle",
            next="look at the ask, table.schema and constants only, or declare `depends = Depends.CYCLE`",
        )


class Preparation:
    """The plugins of a whole profile that have a `prepare`, by what they may look at."""

    __slots__ = ("_early", "_late")

    def __init__(self, binding: Binding) -> None:
        uses = [use for use in binding.uses if hasattr(use.plugin, "prepare")]
        self._early = tuple((use, use.plugin.prepare) for use in uses if use.depends < Depends.CYCLE)
        self._late = tuple(
            # A stream of chance of its own, so that the plugin's other draws do not depend on it.
            (use, use.plugin.prepare, crc32(f"{use.name}.prepare".encode()))
            for use in uses
            if use.depends >= Depends.CYCLE
        )

    def __bool__(self) -> bool:
        return bool(self._early or self._late)

    def kept_skips(self, ask: Hashable, facts: TableFacts, tally: Tally) -> tuple[Bound, ...]:
        """The STATIC and ROW plugins that skip: they follow from the ask, so that they are part of its class."""
        return tuple([use for use, prepare in self._early if _skips(use, prepare, ask, facts, CLOSED, tally)])

    def skips(
        self, ask: Hashable, table: AnyTable, facts: TableFacts | None, cycle: Cycle, tally: Tally
    ) -> tuple[Bound, ...]:
        """All plugins that skip this run; `facts` are those of the table, made here where nobody has them at hand."""
        skips = list(self.kept_skips(ask, facts or TableFacts(table), tally)) if self._early else []
        for use, prepare, stream in self._late:
            cycle.draw_from(stream)
            if _skips(use, prepare, ask, table, cycle, tally):
                skips.append(use)
        return tuple(skips)


def active_part(binding: Binding, table: AnyTable, ask: Hashable, cycle: Cycle, tally: Tally) -> Binding:
    """The binding of the plugins that take part for this ask in this cycle; itself where all of them do."""
    whole = binding.whole or binding
    preparation = Preparation(whole)
    if not preparation:
        return whole
    return whole.without(preparation.skips(ask, table, TableFacts(table), cycle, tally))


def _skips(use: Bound, prepare: Callable[..., Any], ask: Any, table: Any, cycle: Any, tally: Tally) -> bool:
    """Whether a plugin takes no part. One whose `prepare` is broken is a broken plugin: left out, or an error."""
    try:
        said = prepare(ask, table, cycle)
    except Exception as problem:
        tally.forgive_prepare(use, broken(use, problem))
        return True
    if said is None:
        return False
    if said is not SKIP:
        message = f"answered {said!r} in prepare where SKIP or None was asked for"
        tally.forgive_prepare(use, PluginError(use.name, message, next="return SKIP, or nothing"))
    return True

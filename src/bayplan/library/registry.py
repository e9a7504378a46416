"""The registries of all plugins, and configurations read with them and with what each scheduler adds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from bayplan.cluster.columns import CONSTANTS, SHARED, STATE_NAMES, STATIC_NAMES
from bayplan.framework.builtins import builtins
from bayplan.framework.config import scheduler_config
from bayplan.framework.config.scheduler_config import Additions
from bayplan.framework.filters.sample import Sample
from bayplan.framework.registry import Registry
from bayplan.framework.schema import Schema
from bayplan.placement import defaults as placement
from bayplan.routing.config import builtins as routing
from bayplan.routing.config.reader import is_routing, read_routing_config
from bayplan.serving import defaults as serving
from bayplan.serving.books import columns as of_servers

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.routing.config.routing_config import RoutingConfig

SCHEDULERS: Final = ("placement", "serving", "routing")

COLUMNS: Final[Mapping[str, Schema]] = {
    "placement": Schema(
        static=frozenset(STATIC_NAMES),
        state=frozenset(STATE_NAMES),
        shared=frozenset((*CONSTANTS, *SHARED)),
        constants=frozenset(CONSTANTS),
    ),
    "serving": Schema(
        static=frozenset(of_servers.STATIC),
        state=frozenset((*of_servers.STATE, *of_servers.OF_SERVERS)),
        shared=frozenset(of_servers.CONSTANTS),
        constants=frozenset(of_servers.CONSTANTS),
    ),
}
"""The columns of each scheduler's table. A scheduler without an entry may read any column."""

ADDITIONS: Final[Mapping[str, Additions]] = {
    "placement": Additions(
        filters=placement.REQUIRED_FILTERS, handler=placement.HANDLER, candidates=placement.CANDIDATES
    ),
    "serving": Additions(filters=serving.REQUIRED_FILTERS, handler=serving.HANDLER, candidates=serving.CANDIDATES),
}
"""What each scheduler adds to every configuration: filters, the handler, the sources of candidates."""


def placement_plugins() -> Registry:
    """Every plugin that a configuration of placement or serving may name: built-ins, and those of installed packages.

    A plugin that cannot be loaded does not harm the others; `load_entry_points` on the answer says which failed.
    """
    known = Registry((*builtins(), *placement.builtins(), *serving.builtins()))
    known.load_entry_points()
    return known


def routing_plugins() -> Registry:
    """The same for routing; its pickers and its handler of one profile are its own."""
    known = Registry((*routing.builtins(), Sample))
    known.load_entry_points()
    return known


@cache
def _kept_routing_plugins() -> Registry:
    """The same, made once: reading a configuration takes less than a tenth of the time."""
    return routing_plugins()


def all_plugins() -> Registry:
    """The plugins of all schedulers. A name means a type before it means the alias of another one."""
    return placement_plugins().joined(routing_plugins())


def plugins_for(document: Any) -> Registry:
    """The plugins that this configuration may name."""
    return routing_plugins() if is_routing(document) else placement_plugins()


def read_any_config(
    document: Any, known: Registry | None = None, line: Callable[[str], int | None] | None = None
) -> SchedulerConfig | RoutingConfig:
    """The configuration of whichever scheduler, with the plugins `known`, or all that it may name.

    ConfigError with every problem. Both answers have `profiles`, `warnings` and `document()`.
    """
    if is_routing(document):
        return read_routing(document, known, line)
    return read_config(document, known or placement_plugins(), line)


def read_routing(
    document: Any, known: Registry | None = None, line: Callable[[str], int | None] | None = None
) -> RoutingConfig:
    """The configuration of routing that a document holds; ConfigError with every problem."""
    return read_routing_config(document, known or _kept_routing_plugins(), line=line)


def read_config(document: Any, known: Registry, line: Callable[[str], int | None] | None = None) -> SchedulerConfig:
    """The configuration of placement or serving, checked against the columns and additions of its scheduler.

    ConfigError with every problem. A configuration that names no scheduler may read any column: its reader
    knows the table, and this function does not.
    """
    named = isinstance(document, Mapping) and document.get("scheduler") is not None
    return scheduler_config.read_config(
        document,
        known,
        line=line,
        columns=COLUMNS,
        additions=ADDITIONS,
        schedulers=SCHEDULERS if named else (),
    )

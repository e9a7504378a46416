"""The registry of all plugins, and configurations read with it and with what each scheduler adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayplan.cluster.columns import CONSTANTS, SHARED, STATE_NAMES, STATIC_NAMES
from bayplan.framework.builtins import builtins
from bayplan.framework.config import scheduler_config
from bayplan.framework.config.scheduler_config import Additions
from bayplan.framework.registry import Registry
from bayplan.framework.schema import Schema
from bayplan.placement import defaults as placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.framework.config.scheduler_config import SchedulerConfig

SCHEDULERS: Final = ("placement", "serving", "routing")

COLUMNS: Final[Mapping[str, Schema]] = {
    "placement": Schema(
        static=frozenset(STATIC_NAMES),
        state=frozenset(STATE_NAMES),
        shared=frozenset((*CONSTANTS, *SHARED)),
        constants=frozenset(CONSTANTS),
    ),
}
"""The columns of each scheduler's table. A scheduler without an entry may read any column."""

ADDITIONS: Final[Mapping[str, Additions]] = {
    "placement": Additions(
        filters=placement.REQUIRED_FILTERS, handler=placement.HANDLER, candidates=placement.CANDIDATES
    ),
}
"""What each scheduler adds to every configuration: filters, the handler, the sources of candidates."""


def all_plugins() -> Registry:
    """Every plugin that a configuration may name: the built-ins of all schedulers, and plugins of installed packages.

    A plugin that cannot be loaded does not harm the others; `load_entry_points` on the answer says which failed.
    """
    known = Registry((*builtins(), *placement.builtins()))
    known.load_entry_points()
    return known


def read_config(document: Any, known: Registry, line: Callable[[str], int | None] | None = None) -> SchedulerConfig:
    """The configuration, checked against the columns and additions of its scheduler.

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

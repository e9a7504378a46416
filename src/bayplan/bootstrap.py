"""The one place that knows every part, and puts them together."""

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
"""The columns that each scheduler's tables hold; where one is absent, any column may be read."""

ADDITIONS: Final[Mapping[str, Additions]] = {
    "placement": Additions(
        filters=placement.REQUIRED_FILTERS, handler=placement.HANDLER, candidates=placement.CANDIDATES
    ),
}
"""What each scheduler has whatever its configuration says."""


def registry() -> Registry:
    """Every plugin that a configuration may name: the built-ins of all parts, and those of installed packages.

    One that cannot be loaded does not harm the others; asking `load_entry_points` again says which.
    """
    known = Registry((*builtins(), *placement.builtins()))
    known.load_entry_points()
    return known


def read_config(document: Any, known: Registry, line: Callable[[str], int | None] | None = None) -> SchedulerConfig:
    """The configuration, checked with all that is known of its scheduler; ConfigError with all its problems."""
    named = isinstance(document, Mapping) and document.get("scheduler") is not None
    return scheduler_config.read_config(
        document,
        known,
        line=line,
        columns=COLUMNS,
        additions=ADDITIONS,
        schedulers=SCHEDULERS if named else (),
    )

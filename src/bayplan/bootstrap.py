"""The one place that knows every part, and puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.builtins import builtins
from bayplan.framework.registry import Registry

if TYPE_CHECKING:
    from bayplan.framework.errors import Problem


def registry() -> Registry:
    """Every plugin that a configuration may name: the built-ins of all parts, and those of installed packages."""
    known = Registry(builtins())
    known.load_entry_points()
    return known


def broken_plugins(known: Registry) -> tuple[Problem, ...]:
    """The plugins of installed packages that could not be loaded: a warning, because the others work all the same."""
    return known.load_entry_points()


def columns(scheduler: str) -> frozenset[str] | None:
    """The columns that a scheduler's tables hold, by the scheduler's name; None where that is not known."""
    return _COLUMNS.get(scheduler)


_COLUMNS: dict[str, frozenset[str]] = {}

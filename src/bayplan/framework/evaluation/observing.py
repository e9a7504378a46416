"""Telling observers before and after each call of a plugin; where no observer looks at calls, nothing is paid."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.framework.plugins import Observer
    from bayplan.framework.rows import Rows


def observed(
    observers: Sequence[Observer],
) -> Callable[[str, str, Callable[..., Any]], Callable[..., Any]] | None:
    """A wrapper for a plugin's method that tells these observers; None where none of them looks at calls."""
    observers = [each for each in observers if _looks_at_calls(each)]
    if not observers:
        return None

    def wrap(kind: str, plugin: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def told(ask: Any, rows: Rows, cycle: Any) -> Any:
            for observer in observers:
                observer.before(kind, plugin, rows.size)
            try:
                return method(ask, rows, cycle)
            finally:
                for observer in observers:
                    observer.after(kind, plugin, rows.size)

        return told

    return wrap


def _looks_at_calls(observer: Observer) -> bool:
    kind = type(observer)
    return kind.before is not Watch.before or kind.after is not Watch.after

"""Telling observers before and after each call of a plugin; without observers nothing is wrapped, and nothing paid."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.framework.plugins import Observer
    from bayplan.framework.rows import Rows


def observed(observers: Sequence[Observer]) -> Callable[[str, str, Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for a plugin's method that tells these observers."""

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

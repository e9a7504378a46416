"""Telling observers before and after each call of a plugin; where no observer looks at calls, nothing is paid."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.framework.plugins import Observer
    from bayplan.framework.rows import Rows


class Observed:
    """Wraps the methods of plugins, so that these observers are told of every call while they are attentive."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    def attentive(self) -> bool:
        """Whether any of them wants to hear of calls now."""
        for each in self._observers:  # noqa: SIM110 (asked in every decision, where `any` costs thrice as much)
            if each.attentive:
                return True
        return False

    def wrap(self, kind: str, plugin: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method, with observers told of its calls."""
        observers = self._observers

        @wraps(method)
        def told(ask: Any, rows: Rows, cycle: Any) -> Any:
            attentive = [each for each in observers if each.attentive]
            if not attentive:
                return method(ask, rows, cycle)
            for observer in attentive:
                observer.before(kind, plugin, rows.size)
            try:
                return method(ask, rows, cycle)
            finally:
                for observer in attentive:
                    observer.after(kind, plugin, rows.size)

        return told


def observed(observers: Sequence[Observer]) -> Observed | None:
    """What tells these observers of calls; None where none of them ever looks at calls."""
    observers = [each for each in observers if _looks_at_calls(each)]
    return Observed(observers) if observers else None


def _looks_at_calls(observer: Observer) -> bool:
    kind = type(observer)
    return kind.before is not Watch.before or kind.after is not Watch.after

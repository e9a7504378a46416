"""One refusal as documents show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.framework.reasons import Rejection


def rejection_document(rejection: Rejection) -> dict[str, Any]:
    """What the code does not name is null."""
    return {
        "code": rejection.code,
        "filter": rejection.filter,
        "needed": rejection.needed,
        "free": rejection.free,
        "short": rejection.short,
        "unit": rejection.unit or None,
        "missing": (rejection.details or {}).get("missing"),
        "curable": rejection.curable,
        "message": rejection.message,
    }

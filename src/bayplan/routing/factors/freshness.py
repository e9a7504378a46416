"""Scores from figures that may be old or unknown: such an endpoint is never taken for the best one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.routing.endpoints.columns import FRESH_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOTHING_KNOWN = 0.5
"""The score where no endpoint's figure is known: neither good nor bad."""


def scores_by(
    values: Sequence[float | None],
    measured_at_s: Sequence[float | None],
    now: float,
    rule: Callable[[list[float]], list[float]],
) -> list[float]:
    """What `rule` makes of the fresh values; an endpoint without one gets the lowest of these scores.

    Where no value is fresh, old ones are read as they stand, and unknown ones get the lowest score of the known.
    """
    try:  # to compare with None fails, which is quicker than to look for it
        is_fresh = min(measured_at_s) >= now - FRESH_S  # type: ignore[type-var, operator]
    except TypeError:
        is_fresh = False
    if is_fresh and None not in values:
        return rule(values)  # type: ignore[arg-type]
    read = fresh_values(values, measured_at_s, now)
    if None not in read:
        return rule(read)
    known = [value for value in read if value is not None]
    if not known:
        return [NOTHING_KNOWN] * len(read)
    scores = rule(known)
    lowest, following = min(scores), iter(scores)
    return [lowest if value is None else next(following) for value in read]


def fresh_values(values: Sequence[float | None], measured_at_s: Sequence[float | None], now: float) -> list[Any]:
    """The values that are fresh, None in place of the others; where none is fresh, all values as they stand."""
    oldest = now - FRESH_S
    fresh = [
        value if measured is not None and measured >= oldest else None
        for value, measured in zip(values, measured_at_s, strict=True)
    ]
    return list(values) if fresh.count(None) == len(fresh) else fresh

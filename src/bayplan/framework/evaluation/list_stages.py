"""Asking plugins over lists, and checking what they answer: the same rules as over arrays."""

from __future__ import annotations

from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.stages import asked, made_column, mask_step, rows_step, scores_step, shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.evaluation.binding import Bound
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.plugins import Column

_BOOLS = frozenset({bool})  # `issuperset(map(type, ...))` checks a whole list in one call
_ANY_BOOLS = frozenset({bool, np.bool_})  # a comparison of NumPy's numbers gives its own kind of boolean


def ask_mask(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> list[bool]:
    """A filter's mask over these rows."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is not list:
        got = _listed(got)
    if type(got) is list and len(got) == size:
        if _BOOLS.issuperset(map(type, got)):
            return got
        if _ANY_BOOLS.issuperset(map(type, got)):
            return list(map(bool, got))
    message = f"answered {shape_of(got)} where a list of {size} booleans was asked for"
    raise PluginError(use.name, message, next=mask_step(got, size))


def ask_scores(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> list[float]:
    """A scorer's numbers over these rows, not yet clamped."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is not list:
        got = _listed(got)
    if type(got) is list and len(got) == size:
        return got if use.scale == 1.0 else _scaled(use, got)
    message = f"answered {shape_of(got)} where a list of {size} numbers was asked for"
    raise PluginError(use.name, message, next=scores_step(got, size))


def produce(use: Bound, ask: Any, columns: dict[str, Column], size: int, cycle: Any) -> None:
    """Put a producer's columns beside the others."""
    got = asked(use, ask, columns, size, cycle)
    for name in use.plugin.produces:
        made = made_column(use, got, name)
        made = made.tolist() if type(made) is np.ndarray and made.ndim else _listed(made)
        if type(made) is not list or len(made) != size:
            message = f"answered {shape_of(made)} for {name!r} where {size} rows were asked for"
            raise PluginError(use.name, message, next=rows_step(made, size))
        columns[name] = made


def added(use: Bound, sums: Sequence[float], scores: Sequence[float], tally: Tally) -> list[float]:
    """The sums with weight x clamp(score) added, row by row; NaN and what is no number are errors."""
    weight = use.weight
    try:
        return [
            total + weight * (score if 0.0 <= score <= 1.0 else _clamp(use, score, tally))
            for total, score in zip(sums, scores, strict=True)
        ]
    except TypeError as problem:
        raise PluginError(use.name, f"answered what is no number: {problem}") from problem


def take(column: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    """A column at these rows."""
    return [column[row] for row in rows]


def refused_rows(mask: Sequence[bool]) -> list[int]:
    """Where a mask says no."""
    return [row for row, passed in enumerate(mask) if not passed]


def both(first: list[bool], second: list[bool]) -> list[bool]:
    """Where both masks say yes."""
    return list(map(and_, first, second))


def _scaled(use: Bound, numbers: list[float]) -> list[float]:
    try:
        return [number / use.scale for number in numbers]
    except (TypeError, OverflowError) as problem:
        raise PluginError(use.name, f"answered what is no number: {problem}") from problem


def _listed(got: Any) -> Any:
    """A plugin for both storages may answer with an array of one dimension here too, or with a tuple."""
    if type(got) is np.ndarray:
        return got.tolist() if got.ndim == 1 else got
    return list(got) if type(got) is tuple else got


def _clamp(use: Bound, score: float, tally: Tally) -> float:
    if score != score:  # noqa: PLR0124 (NaN)
        raise PluginError(use.name, "answered NaN")
    tally.clamped[use.name] = tally.clamped.get(use.name, 0) + 1
    return 0.0 if score < 0.0 else 1.0

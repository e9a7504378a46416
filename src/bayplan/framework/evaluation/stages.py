"""Asking plugins over arrays, and checking what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.evaluation.binding import Bound, Stage
    from bayplan.framework.plugins import BoolArray, Column, FloatArray

_ARRAY = np.ndarray
_BOOL = np.dtype(np.bool_)
_FLOAT = np.dtype(np.float64)
_BITS = np.dtype(np.uint64)
_NUMBERS = "fiu"
_ONE_BITS = int(np.float64(1.0).view(np.uint64))
_REFUSED = -np.inf


class Tally:
    """What went wrong without stopping the cycle: plugins left out, values clamped."""

    __slots__ = ("clamped", "lenient", "skipped", "unprepared")

    def __init__(self, *, lenient: bool = False) -> None:
        self.lenient = lenient
        self.skipped: dict[Bound, str] = {}
        self.unprepared: dict[Bound, str] = {}  # left out because their `prepare` is broken
        self.clamped: dict[str, int] = {}

    def forgive(self, use: Bound, problem: PluginError) -> None:
        """Note a broken plugin and go on, if the configuration says so and the plugin protects nothing."""
        if not self.lenient or use.required:
            raise problem
        self.skipped[use] = problem.message

    def forgive_prepare(self, use: Bound, problem: PluginError) -> None:
        """The same for a plugin that was not asked about any row: what the others said can be kept all the same."""
        if not self.lenient or use.required:
            raise problem
        self.unprepared[use] = problem.message


def broken(use: Bound, problem: Exception) -> PluginError:
    """Whatever a plugin raises, as an error that names it."""
    if isinstance(problem, PluginError):
        return PluginError(use.name, problem.message, next=problem.next)
    return PluginError(use.name, f"raised {type(problem).__name__}: {problem}")


def asked(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> Any:
    """One plugin's raw answer about these rows; whatever it raises becomes an error that names it."""
    try:
        return use.call(ask, use.show(columns, size), cycle)
    except Exception as problem:
        raise broken(use, problem) from problem


def ask_mask(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> BoolArray:
    """A filter's mask over these rows."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is _ARRAY and got.dtype is _BOOL and got.shape == (size,):
        return got
    raise PluginError(use.name, f"answered {_shape(got)} where a mask of {size} booleans was asked for")


def ask_scores(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> Any:
    """A scorer's numbers over these rows, not yet clamped."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is _ARRAY and got.shape == (size,) and (got.dtype is _FLOAT or got.dtype.kind in _NUMBERS):
        return got
    raise PluginError(use.name, f"answered {_shape(got)} where {size} numbers were asked for")


def produce(use: Bound, ask: Any, columns: dict[str, Column], size: int, cycle: Any) -> None:
    """Put a producer's columns beside the others."""
    got = asked(use, ask, columns, size, cycle)
    for name in use.plugin.produces:
        made = got.get(name) if hasattr(got, "get") else None
        if type(made) is not np.ndarray or not made.ndim or len(made) != size:
            raise PluginError(use.name, f"answered {_shape(made)} for {name!r} where {size} rows were asked for")
        columns[name] = made


def apply(
    stage: Stage,
    ask: Any,
    cycle: Any,
    columns: dict[str, Column],
    size: int,
    levels: Sequence[FloatArray],
    tally: Tally,
) -> list[FloatArray] | None:
    """Ask a stage's plugins about these rows: add what its scorers say to `levels`, put -inf where a filter refuses.

    What the scorers said, clamped, one array a scorer, is handed back for the record.
    """
    for use in stage.producers:
        try:
            produce(use, ask, columns, size, cycle)
        except PluginError as problem:
            tally.forgive(use, problem)
    mask: BoolArray | None = None
    for use in stage.filters:
        try:
            got = ask_mask(use, ask, columns, size, cycle)
        except PluginError as problem:
            tally.forgive(use, problem)
        else:
            mask = got if mask is None else mask & got
    scores = add_scores(stage, ask, cycle, columns, size, levels, tally, mask) if stage.scorers else None
    if mask is not None:
        refused = ~mask
        for level in levels:
            level[refused] = _REFUSED
    return scores


def add_scores(
    stage: Stage,
    ask: Any,
    cycle: Any,
    columns: Mapping[str, Column],
    size: int,
    levels: Sequence[FloatArray],
    tally: Tally,
    mask: BoolArray | None,
) -> list[FloatArray]:
    """Add weight x clamp(score), scorer by scorer: a reduction over scorers would not add in the same order."""
    scores = []
    for use, weight in zip(stage.scorers, stage.weights, strict=True):
        try:
            score = ask_scores(use, ask, columns, size, cycle)
            if score.dtype is not _FLOAT:
                score = score.astype(_FLOAT)
            if use.scale != 1.0:
                score = score / use.scale  # in float64, whatever the scorer answers in
            # Numbers in [0, 1] are, bit by bit, those not above one; the rest (below, above, NaN, -0.0) is looked at.
            bits = score.view(_BITS)
            if size and bits.item(bits.argmax()) > _ONE_BITS:
                score = _repaired(use, score, levels[0], mask, tally)
        except PluginError as problem:
            tally.forgive(use, problem)
            score = np.zeros(size)
        levels[use.level] += score * weight
        scores.append(score)
    return scores


def _repaired(use: Bound, score: FloatArray, level: FloatArray, mask: BoolArray | None, tally: Tally) -> FloatArray:
    """Clamp and count what is out of range; NaN is an error, but only on rows that are still candidates."""
    alive = level != _REFUSED if mask is None else mask & (level != _REFUSED)
    missing = np.isnan(score)
    if (missing & alive).any():
        raise PluginError(use.name, f"answered NaN for {int((missing & alive).sum())} of {len(score)} rows")
    outside = ((score < 0.0) | (score > 1.0)) & alive
    if outside.any():
        tally.clamped[use.name] = tally.clamped.get(use.name, 0) + int(outside.sum())
    return np.clip(np.where(missing, 0.0, score), 0.0, 1.0)


def take(column: Column, rows: Any) -> Column:
    """A column at these rows."""
    return column.take(rows, 0)


def refused_rows(mask: BoolArray) -> Any:
    """Where a mask says no."""
    return np.flatnonzero(~mask)


def _shape(got: Any) -> str:
    if isinstance(got, np.ndarray):
        return f"an array of {got.dtype} {got.shape}"
    return "nothing" if got is None else f"a {type(got).__name__}"

"""Asking plugins over arrays, and checking what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.evaluation.binding import Bound, Stage
    from bayplan.framework.plugins import BoolArray, Column, FloatArray

# Types as module globals: these checks run for every plugin in every cycle, and looking up np.X costs more.
_ARRAY = np.ndarray
_BOOL = np.dtype(np.bool_)
_FLOAT = np.dtype(np.float64)
_BITS = np.dtype(np.uint64)
_NUMBERS = "fiu"  # kinds of dtypes that can be scores: floats, signed and unsigned integers
# non-negative floats sort like their bits; negative ones have the top bit
_ONE_BITS = int(np.float64(1.0).view(np.uint64))
_REFUSED = -np.inf  # smaller than every sum of scores, so that `argmax` never finds a refused row first


class Tally:
    """What went wrong without stopping the cycle: plugins left out, values clamped."""

    __slots__ = ("clamped", "known_clamped", "lenient", "skipped", "unprepared")

    def __init__(self, *, lenient: bool = False) -> None:
        self.lenient = lenient
        self.skipped: dict[Bound, str] = {}
        self.unprepared: dict[Bound, str] = {}  # left out because their `prepare` is broken
        self.clamped: dict[str, int] = {}
        self.known_clamped: dict[str, int] = {}  # counted when the answers that a run found were worked out

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
    return PluginError(use.name, f"raised {type(problem).__name__}: {problem}", next=_hint(problem))


def _hint(problem: Exception) -> str:
    """The next step after a mistake that many make who write their first plugin."""
    text = str(problem)
    if isinstance(problem, ValueError) and "truth value of an array" in text:
        return "columns are arrays: use `&`, `|` and `numpy.where`, or lift a function of one row with `filter_of`"
    if isinstance(problem, TypeError | AttributeError) and "'list'" in text:
        return "columns of a ListTable are lists: go through their values, or begin with `numpy.array(rows.column)`"
    return ""


def asked(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> Any:
    """One plugin's raw answer about these rows; whatever it raises becomes an error that names it."""
    try:
        return use.call(ask, use.show(columns, size), cycle)
    except Exception as problem:
        raise broken(use, problem) from problem


def ask_mask(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> BoolArray:
    """A filter's mask over these rows."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is not _ARRAY:
        got = as_array(got, _BOOL)
    # `is`: NumPy has one object per built-in dtype
    if type(got) is _ARRAY and got.dtype is _BOOL and got.shape == (size,):
        return got
    message = f"answered {shape_of(got)} where a mask of {size} booleans was asked for"
    raise PluginError(use.name, message, next=mask_step(got, size))


def ask_scores(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> Any:
    """A scorer's numbers over these rows, not yet clamped."""
    got = asked(use, ask, columns, size, cycle)
    if type(got) is not _ARRAY:
        got = as_array(got, _FLOAT)
    if type(got) is _ARRAY and got.shape == (size,) and (got.dtype is _FLOAT or got.dtype.kind in _NUMBERS):
        return got
    message = f"answered {shape_of(got)} where {size} numbers were asked for"
    raise PluginError(use.name, message, next=scores_step(got, size))


def produce(use: Bound, ask: Any, columns: dict[str, Column], size: int, cycle: Any) -> None:
    """Put a producer's columns beside the others."""
    got = asked(use, ask, columns, size, cycle)
    for name in use.plugin.produces:
        made = made_column(use, got, name)
        if type(made) is not np.ndarray:
            made = as_array(made, None)
        if type(made) is not np.ndarray or not made.ndim or len(made) != size:
            message = f"answered {shape_of(made)} for {name!r} where {size} rows were asked for"
            raise PluginError(use.name, message, next=rows_step(made, size))
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
            if size and bits.item(bits.argmax()) > _ONE_BITS:  # one pass finds negative, too large and NaN at once
                score = _repaired(use, score, levels[0], mask, tally)
        except PluginError as problem:
            tally.forgive(use, problem)
            score = np.zeros(size)  # a scorer that is left out adds nothing, and its place in the record is filled
        levels[use.level] += score * weight
        scores.append(score)
    return scores


def _repaired(use: Bound, score: FloatArray, level: FloatArray, mask: BoolArray | None, tally: Tally) -> FloatArray:
    """Clamp and count what is out of range; NaN is an error, but only on rows that are still candidates."""
    alive = level != _REFUSED if mask is None else mask & (level != _REFUSED)  # refused rows may hold any score
    missing = np.isnan(score)
    if (missing & alive).any():
        raise PluginError(use.name, f"answered NaN for {int((missing & alive).sum())} of {len(score)} rows")
    outside = ((score < 0.0) | (score > 1.0)) & alive
    if outside.any():
        tally.clamped[use.name] = tally.clamped.get(use.name, 0) + int(outside.sum())
    return np.clip(np.where(missing, 0.0, score), 0.0, 1.0)  # NaN is left only on refused rows here


def take(column: Column, rows: Any) -> Column:
    """A column at these rows."""
    return column.take(rows, 0)


def refused_rows(mask: BoolArray) -> Any:
    """Where a mask says no."""
    return np.flatnonzero(~mask)


def as_array(got: Any, empty: Any) -> Any:
    """A list or tuple as an array; anything else as it is. `empty`: the type of an array without values."""
    if not isinstance(got, list | tuple):
        return got
    try:
        array = np.array(got)
    except ValueError:  # rows of different lengths
        return got
    return array if array.size else array.astype(empty)


def made_column(use: Bound, got: Any, name: str) -> Any:
    """One of the columns that a producer answers with."""
    if not hasattr(got, "get"):
        step = f"return a dict, as in {{{name!r}: ...}}"
        raise PluginError(use.name, f"answered {shape_of(got)} where a dict of columns was asked for", next=step)
    return got.get(name)


def shape_of(got: Any) -> str:
    """A wrong answer in words, for an error."""
    if isinstance(got, np.ndarray):
        return f"an array of {got.dtype} {got.shape}"
    if isinstance(got, list):
        kinds = ", ".join(sorted({type(each).__name__ for each in got})) or "nothing"
        return f"a list of {len(got)} ({kinds})"
    return "nothing" if got is None else f"a {type(got).__name__}"


def mask_step(got: Any, size: int) -> str:
    """What to do instead of a wrong mask."""
    return rows_step(got, size) or "return booleans, as a comparison gives them: `rows.free >= ask.need`"


def scores_step(got: Any, size: int) -> str:
    """What to do instead of wrong scores."""
    return rows_step(got, size) or "return numbers between 0 and 1, or declare another `scale`"


def rows_step(got: Any, size: int) -> str:
    """What to do instead of an answer that does not have one value a row; empty where it has."""
    if got is None:
        return "end the method with `return`"
    if not hasattr(got, "__len__") or (isinstance(got, np.ndarray) and not got.ndim):
        return f"return one value a row: `numpy.full(rows.size, {got!r})`, or a list of `rows.size` values"
    return "" if len(got) == size else "return one value for each row that is shown, `rows.size` of them"

"""The end of a run: the picker's choice, checked, and what each picked row means."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from bayplan.framework.errors import BayplanError, InputError, PickerError, PluginError
from bayplan.framework.evaluation.contributions import Seen
from bayplan.framework.evaluation.evaluator import Evaluator
from bayplan.framework.evaluation.list_evaluator import ListEvaluator
from bayplan.framework.evaluation.totals import one_group
from bayplan.framework.outcome import Pick
from bayplan.framework.plugins import ONE, Resolution

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Picker, Resolver, Want
    from bayplan.framework.table import AnyTable

T = TypeVar("T")
AnyEvaluator: TypeAlias = Evaluator | ListEvaluator

_STREAM = 1 << 32  # of chance, one that no plugin's name leads to


def guarded(kind: type[PluginError], name: str, call: Callable[..., T], *args: Any) -> T:
    """A plugin's answer; whatever it raises becomes an error that names it."""
    try:
        return call(*args)
    except BayplanError:
        raise
    except Exception as problem:
        raise raised(kind, name, problem) from problem


def raised(kind: type[PluginError], name: str, problem: Exception) -> PluginError:
    """The error that names the plugin."""
    return kind(name, f"raised {type(problem).__name__}: {problem}")


def pick(result: RunResult, evaluator: AnyEvaluator, totals: Totals, want: Want, cycle: Cycle) -> None:
    """Complete a run: nothing fits, too few are left, or these rows, each with what it means."""
    if totals.best() < 0:
        return
    table, profile = evaluator.table, evaluator.binding.profile
    if want is not ONE:
        narrowed = _enough(totals, table, want)
        if narrowed is None:
            result.status = "too-few"
            return
        totals = narrowed
    rows = _chosen(profile.picker, totals, want, cycle)
    picked = []
    for row in rows:
        each = _picked(row, result, evaluator, totals)
        if profile.resolver is not None:
            each.resolution = _resolved(profile.resolver, result.ask, table, row, cycle)
        picked.append(each)
    result.picked = tuple(picked)
    result.status = "picked"


def _enough(totals: Totals, table: AnyTable, want: Want) -> Totals | None:
    """What the picker may choose from; None where that is less than the minimum."""
    if want.group is not None:
        if want.group not in table.columns:
            message = f"there is no column {want.group!r} to group by"
            raise InputError(message, place="want.group", next=table.schema.listed)
        return one_group(totals, table.columns[want.group], want)
    return totals if want.minimum == 1 or len(totals.survivors()) >= want.minimum else None


def _chosen(picker: Picker, totals: Totals, want: Want, cycle: Cycle) -> list[int]:
    cycle.draw_from(_STREAM)
    try:
        answer = picker.pick(totals, want, cycle)
    except BayplanError:
        raise
    except Exception as problem:
        raise raised(PickerError, picker.name, problem) from problem
    try:
        rows = list(map(index, answer))
    except TypeError:
        raise PickerError(picker.name, f"picked {answer!r} where rows were asked for") from None
    if not rows:
        raise PickerError(picker.name, "picked no row though some are left")
    if len(rows) == 1 == want.minimum:
        return rows
    if len(set(rows)) != len(rows) or len(rows) > want.desired:
        raise PickerError(picker.name, f"picked rows {rows} where at most {want.desired} are wanted, each once")
    if len(rows) < want.minimum:
        raise PickerError(picker.name, f"picked {len(rows)} rows where at least {want.minimum} are wanted")
    return rows


def _picked(row: int, result: RunResult, evaluator: AnyEvaluator, totals: Totals) -> Pick:
    table = evaluator.table
    if not totals.accepts(row):
        kind = "a refused row" if 0 <= row < table.size else "a row that is not there"
        raise PickerError(result.binding.profile.picker.name, f"picked {kind}: {row}")
    return Pick(row, table.keys[row], totals.total(row), _seen(evaluator, result.ask, row))


def _resolved(resolver: Resolver, ask: Any, table: AnyTable, row: int, cycle: Cycle) -> Resolution:
    try:
        resolution = resolver.resolve(ask, table, row, cycle)
    except BayplanError:
        raise
    except Exception as problem:
        raise raised(PluginError, resolver.name, problem) from problem
    if type(resolution) is not Resolution:
        raise PluginError(resolver.name, f"resolved row {row} to no Resolution")
    return resolution


def _seen(evaluator: AnyEvaluator, ask: Hashable, row: int) -> Seen:
    """What a record needs of the picked row, while it still is what it was."""
    binding, shared, skipped = evaluator.binding, evaluator.table.shared, evaluator.tally.skipped
    left_out = tuple(skipped) if skipped else ()
    if isinstance(evaluator, ListEvaluator):
        return Seen(binding, ask, None, (), shared, (evaluator.rows.index(row), evaluator.scores), left_out)
    late: dict[str, float] = {}
    for uses, rows, scores in evaluator.late_scores:
        place = row if rows is None else int(rows.searchsorted(row))
        for use, score in zip(uses, scores, strict=True):
            late[use.name] = score.item(place)
    return Seen(binding, ask, evaluator.inputs(row), evaluator.input_types, shared, late, left_out)

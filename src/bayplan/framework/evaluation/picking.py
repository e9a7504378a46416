"""The end of a run: the picker's choice, checked, and what each picked row means."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from bayplan.framework.errors import BayplanError, PickerError, PluginError
from bayplan.framework.evaluation.evaluator import Evaluator
from bayplan.framework.evaluation.groups import one_group
from bayplan.framework.evaluation.list_evaluator import ListEvaluator
from bayplan.framework.outcome import Pick
from bayplan.framework.plugins import Resolution

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Picker, Resolver, Want
    from bayplan.framework.table import AnyTable

T = TypeVar("T")
ActiveEvaluator: TypeAlias = Evaluator | ListEvaluator

_new = tuple.__new__  # half the price of calling a NamedTuple
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


def pick(result: RunResult, evaluator: ActiveEvaluator, totals: Totals, want: Want, cycle: Cycle) -> None:
    """Complete a run: nothing fits, too few are left, or these rows, each with what it means."""
    if not want.desired:  # nothing was wanted, and that is what is picked
        result.status = "picked"
        return
    table, profile = evaluator.table, evaluator.binding.profile
    if want.group is not None:
        narrowed = one_group(totals, table, want, result.ask, cycle, evaluator.tally)
        if narrowed is None and totals.best() >= 0:  # the best row of all is not looked for where a group is found
            result.status = "too-few"
        if narrowed is None:
            return
        totals = narrowed
    elif totals.best() < 0:  # -1 says that no row is left
        return
    elif want.minimum > 1 and len(totals.survivors()) < want.minimum:
        result.status = "too-few"
        return
    resolver, ask, picked = profile.resolver, result.ask, []
    for row in _chosen(profile.picker, totals, want, cycle):
        levels = totals.taken(row)
        if levels is None:
            kind = "a refused row" if 0 <= row < table.size else "a row that is not there"
            raise PickerError(profile.picker.name, f"picked {kind}: {row}")
        seen = evaluator.seen(ask, row)
        resolution = None if resolver is None else _resolved(resolver, ask, table, row, cycle)
        picked.append(_new(Pick, (row, table.keys[row], levels, seen, resolution)))
    result.picked = tuple(picked)
    result.status = "picked"


def _chosen(picker: Picker, totals: Totals, want: Want, cycle: Cycle) -> list[int]:
    cycle.draw_from(_STREAM)
    try:
        answer = picker.pick(totals, want, cycle)
    except BayplanError:
        raise
    except Exception as problem:
        raise raised(PickerError, picker.name, problem) from problem
    try:
        rows = list(map(index, answer))  # `operator.index` takes NumPy's integers and refuses floats
    except TypeError:
        raise PickerError(picker.name, f"picked {answer!r} where rows were asked for") from None
    if not rows:
        raise PickerError(picker.name, "picked no row though some are left")
    if len(rows) == 1 == want.minimum:  # one row cannot repeat, and is neither too many nor too few
        return rows
    if len(set(rows)) != len(rows) or len(rows) > want.desired:
        raise PickerError(picker.name, f"picked rows {rows} where at most {want.desired} are wanted, each once")
    if len(rows) < want.minimum:
        raise PickerError(picker.name, f"picked {len(rows)} rows where at least {want.minimum} are wanted")
    return rows


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

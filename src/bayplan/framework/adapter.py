"""Lifts a plain function of one candidate to a plugin over many.

    @filter_of(reads=("waiting",), code="queue-full", curable=True)
    def short_queue(ask, row):
        return row.waiting < ask.most_waiting

It is called once a row, so it suits tables of hundreds of rows, not of many thousands.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, overload

import numpy as np

from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Mask, Scores
    from bayplan.framework.rows import Rows

    Judge: TypeAlias = Callable[..., Any]


class Candidate:
    """One row: an attribute for each declared column, in plain Python values, and nothing else."""

    __slots__ = ()

    reads: ClassVar[tuple[str, ...]] = ()
    plugin: ClassVar[str] = "?"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself probes such names, and expects AttributeError where they are missing
            raise AttributeError(name)
        step = f"add {name!r} to its `reads`, now {self.reads}"
        raise PluginError(self.plugin, f"reads column {name!r}, which it did not declare", next=step)


class Lifted:
    """A function of one candidate, asked about each row in turn.

    What the function is given follows from `depends`: (ask, row); with CYCLE (ask, row, cycle); with TABLE
    (ask, row, cycle, rows), where `rows` are all candidates that are left, this one among them.
    """

    def __init__(
        self,
        function: Judge,
        name: str,
        reads: tuple[str, ...],
        shared: tuple[str, ...],
        depends: Depends | None,
        prepare: Judge | None = None,
    ) -> None:
        self.function = function
        if prepare is not None:
            self.prepare = prepare
        self.name = name
        self.columns, self.shared = _names(name, "reads", reads), _names(name, "shared", shared)
        self.reads = (*self.columns, *self.shared)
        # the least: binding raises it to what its columns need
        self.depends = Depends.STATIC if depends is None else depends
        self.__doc__ = function.__doc__
        self._kind = type("Candidate", (Candidate,), {"__slots__": self.reads, "reads": self.reads, "plugin": name})
        if not self.columns:
            message = "reads no column of its rows, and so could not tell them apart"
            raise InputError(message, place=f"plugin {name}", next="name at least one in `reads`")

    def answers(self, function: Judge, ask: Any, rows: Rows, cycle: Cycle) -> list[Any]:
        """What a function says of each row."""
        candidates = self.candidates(rows)
        if self.depends is Depends.TABLE:
            return [function(ask, each, cycle, candidates) for each in candidates]
        if self.depends is Depends.CYCLE:
            return [function(ask, each, cycle) for each in candidates]
        return [function(ask, each) for each in candidates]

    def candidates(self, rows: Rows) -> list[Any]:
        """The rows one by one."""
        candidates = [self._kind() for _ in range(rows.size)]
        for name in self.reads:
            column = getattr(rows, name)
            values = repeat(column, rows.size) if name in self.shared else _listed(column)
            for each, value in zip(candidates, values, strict=True):
                setattr(each, name, value)
        return candidates

    def in_storage(self, answers: list[Any], rows: Rows, dtype: type) -> Any:
        """The answers as the rows are stored: an array for arrays, a list for lists."""
        # columns of a table have one storage
        return answers if type(getattr(rows, self.columns[0])) is list else np.array(answers, dtype)


class LiftedFilter(Lifted):
    """A filter from a function that says True (keep) or False for one candidate."""

    def __init__(
        self,
        function: Judge,
        *,
        name: str,
        reads: tuple[str, ...],
        shared: tuple[str, ...] = (),
        depends: Depends | None = None,
        code: str = "",
        curable: bool = False,
        unit: str = "",
        text: str = "",
        numbers: Judge | None = None,
        required: bool = False,
        prepare: Judge | None = None,
        cured_by: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(function, name, reads, shared, depends, prepare)
        self.cured_by = cured_by
        self.code = code or name
        self.curable, self.unit, self.text = curable, unit, text
        self.numbers = numbers
        self.required = required

    def mask(self, ask: Any, rows: Rows, cycle: Cycle) -> Mask:
        answers = self.answers(self.function, ask, rows, cycle)
        for answer in answers:
            if not isinstance(answer, bool | np.bool_):
                raise PluginError(self.name, f"answered {answer!r} for a row where True or False was asked for")
        mask: Mask = self.in_storage([bool(answer) for answer in answers], rows, np.bool_)
        return mask

    def explain(self, ask: Any, rows: Rows, cycle: Cycle) -> Reasons:
        numbers: Mapping[str, Any] = self._numbers(ask, rows, cycle)
        return Reasons(self.code, curable=self.curable, unit=self.unit, text=self.text, **numbers)

    def _numbers(self, ask: Any, rows: Rows, cycle: Cycle) -> Mapping[str, list[Any]]:
        if self.numbers is None:
            return {}
        answers = self.answers(self.numbers, ask, rows, cycle)
        names = {name for answer in answers for name in answer}
        return {name: [answer.get(name) for answer in answers] for name in sorted(names)}


class LiftedScorer(Lifted):
    """A scorer from a function that puts a number on one candidate."""

    def __init__(
        self,
        function: Judge,
        *,
        name: str,
        reads: tuple[str, ...],
        shared: tuple[str, ...] = (),
        depends: Depends | None = None,
        scale: float = 1.0,
        prepare: Judge | None = None,
    ) -> None:
        super().__init__(function, name, reads, shared, depends, prepare)
        self.scale = scale

    def score(self, ask: Any, rows: Rows, cycle: Cycle) -> Scores:
        answers = self.answers(self.function, ask, rows, cycle)
        for answer in answers:
            # bool is a subclass of int
            if isinstance(answer, bool) or not isinstance(answer, int | float | np.integer | np.floating):
                raise PluginError(self.name, f"answered {answer!r} for a row where a number was asked for")
        scores: Scores = self.in_storage([float(answer) for answer in answers], rows, np.float64)
        return scores


@overload
def filter_of(function: Judge, name: str | None = None, **said: Any) -> LiftedFilter: ...


@overload
def filter_of(function: None = None, name: str | None = None, **said: Any) -> Callable[[Judge], LiftedFilter]: ...


def filter_of(function: Judge | None = None, name: str | None = None, **said: Any) -> Any:
    """A filter from a function of one candidate, or a decorator that makes one.

    `reads` names the columns of the row, `shared` the values that all rows share; `code`, `curable`, `unit`, `text`
    and `numbers`, a second function that gives the numbers of one refusal as a mapping, say why a row was refused;
    `prepare(ask, table, cycle)` may answer SKIP, as any plugin's may.
    """
    return _lift(LiftedFilter, function, name, said)


@overload
def scorer_of(function: Judge, name: str | None = None, **said: Any) -> LiftedScorer: ...


@overload
def scorer_of(function: None = None, name: str | None = None, **said: Any) -> Callable[[Judge], LiftedScorer]: ...


def scorer_of(function: Judge | None = None, name: str | None = None, **said: Any) -> Any:
    """A scorer from a function of one candidate, or a decorator that makes one; `scale` as any scorer has it."""
    return _lift(LiftedScorer, function, name, said)


def _lift(kind: Callable[..., Lifted], function: Judge | None, name: str | None, said: Mapping[str, Any]) -> Any:
    def lift(function: Judge) -> Lifted:
        return kind(function, name=name or function.__name__.strip("_").replace("_", "-"), **said)

    return lift if function is None else lift(function)


def _names(plugin: str, said: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str):  # `tuple("abc")` would read three columns
        raise InputError(f"`{said}` is one text: {names!r}", place=f"plugin {plugin}", next=f"write ({names!r},)")
    return tuple(names)


def _listed(column: Any) -> list[Any]:
    listed: list[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return listed

"""Does a plugin keep its promises? A check that its author runs on it, over a table and asks of their own.

What is promised: rows judged one by one may be shown in any number, order and company without changing the answer;
equal asks get equal answers; only declared columns are read, and nothing is written; answers have the right form and
range; a refusal's code and numbers agree with the mask. A plugin that says `storages = ("arrays", "lists")` gives
the same answers in both; one that says nothing is checked in the storage of the table that is given. A plugin's twin
(`twins.py`) says of each row what the plugin itself says, bit for bit. A `prepare` answers SKIP or None, the same for
equal asks; of an ask that it skips nothing else is looked at.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.cycle import CLOSED, Cycle
from bayplan.framework.errors import ConfigError, PluginError
from bayplan.framework.evaluation import list_stages, stages
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.cures import cures_of
from bayplan.framework.evaluation.preparation import Preparation, TableFacts
from bayplan.framework.explained_check import explained_wrongly
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.profile import Profile
from bayplan.framework.registry import kinds_of
from bayplan.framework.table import Table
from bayplan.framework.twin_check import twin_complaints

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column

CHECKED = ("producer", "filter", "scorer")
ARRAYS, LISTS = "arrays", "lists"


def check_plugin(
    plugin: Any,
    table: Table | ListTable,
    asks: Sequence[Hashable],
    *,
    subject: Any = "subject",
    seed: int = 0,
    subsets: int = 20,
) -> list[str]:
    """Every broken promise of a filter, scorer or producer, as sentences; none, if it keeps them all.

    Give a table with ordinary and extreme rows and asks that accept some and refuse some. A column that another
    plugin would produce stands in the table here. `subject` is whom a CYCLE plugin finds in the cycle; `seed` chooses
    the subsets.
    """
    kinds = [kind for kind in kinds_of(plugin) if kind in CHECKED]
    if not kinds:
        return [f"it is no {', '.join(CHECKED[:-1])} or {CHECKED[-1]}: it has none of their methods"]
    if complaints := list(_undeclared(plugin, kinds, table)):
        return complaints
    try:
        for kind in kinds:
            complaints += _Check(plugin, kind, table, subject, seed).complaints(asks, subsets)
            if set(getattr(plugin, "storages", ())) == {ARRAYS, LISTS}:
                complaints += _storage_complaints(plugin, kind, table, asks, subject, seed)
    except ConfigError as problem:
        complaints += [each.message for each in problem.problems]
    return list(dict.fromkeys(complaints))


def assert_contract(
    plugin: Any,
    table: Table | ListTable,
    asks: Sequence[Hashable],
    *,
    subject: Any = "subject",
    seed: int = 0,
    subsets: int = 20,
) -> None:
    """AssertionError with every broken promise, for use in a plugin's own tests."""
    if complaints := check_plugin(plugin, table, asks, subject=subject, seed=seed, subsets=subsets):
        name = getattr(plugin, "name", type(plugin).__name__)
        raise AssertionError(f"{name} breaks its contract:\n" + "\n".join(f"- {each}" for each in complaints))


class _Check:
    """One plugin in one of its roles, over one table."""

    def __init__(self, plugin: Any, kind: str, table: Table | ListTable, subject: Any, seed: int) -> None:
        self.plugin, self.kind, self.table, self.subject, self.seed = plugin, kind, table, subject, seed
        self.storage: Any = list_stages if isinstance(table, ListTable) else stages
        columns: dict[str, Column] = {**table.columns, **table.shared}
        self.columns = deepcopy(columns) if self.storage is list_stages else columns  # arrays are read-only already
        self.binding, use = _bound(plugin, kind, table)
        self.use = replace(use, scale=1.0)  # raw answers: `_of_form` divides by the scale and checks the range
        self.preparation, self.facts = Preparation(self.binding), TableFacts(table)

    def complaints(self, asks: Sequence[Hashable], subsets: int) -> Iterator[str]:
        """Everything that is wrong, ask by ask; an ask that gets no answer is not looked at further."""
        before, asked = _comparable(self.columns), deepcopy(list(asks))
        answers = {}
        for place, ask in enumerate(asks):
            try:
                answers[place] = self.answer(ask)
                if answers[place] is SKIP:
                    continue
                yield from self._of_form(answers[place], ask)
                yield from self._of_subsets(ask, answers[place], subsets)
                yield from self._of_twin(ask, answers[place])
                if self.kind == "filter":
                    yield from self._of_cures(ask)
                if self.kind == "filter" and hasattr(self.plugin, "explain"):
                    yield from self._of_explaining(ask, answers[place])
            except PluginError as problem:
                yield f"{_ask(ask)}: it {problem.message}" + (f"; {problem.next}" if problem.next else "")
        yield from self._of_equal_asks(asks, answers)
        if not _same(before, self.columns):
            yield "it writes to the columns that it is shown"
        if asked != list(asks):
            yield "it changes the ask"

    def answer(self, ask: Any, index: Sequence[int] | None = None) -> Any:
        """What it says of all rows, or of these, in plain Python values; SKIP where it does not take part."""
        columns, size = self._shown(index), self.table.size if index is None else len(index)
        cycle = self._prepared(ask)
        if cycle is None:
            return SKIP
        if self.kind == "filter":
            return _plain(self.storage.ask_mask(self.use, ask, columns, size, cycle))
        if self.kind == "scorer":
            return _plain(self.storage.ask_scores(self.use, ask, columns, size, cycle))
        made = dict(columns)
        self.storage.produce(self.use, ask, made, size, cycle)
        return {name: _plain(made[name]) for name in self.plugin.produces}

    def _of_form(self, answer: Any, ask: Any) -> Iterator[str]:
        if self.kind != "scorer":
            return
        scale = float(getattr(self.plugin, "scale", 1))
        try:
            scores = np.asarray(answer, np.float64) / scale
        except (TypeError, ValueError) as problem:
            raise PluginError(self.plugin.name, f"answered what is no number: {problem}") from problem
        if missing := int(np.isnan(scores).sum()):
            raise PluginError(self.plugin.name, f"answered NaN for {missing} of {len(scores)} rows")
        if outside := int(((scores < 0.0) | (scores > 1.0)).sum()):
            yield f"{_ask(ask)}: it left [0, {scale:g}] on {outside} of {len(scores)} rows, which are clamped"

    def _of_subsets(self, ask: Any, whole: Any, subsets: int) -> Iterator[str]:
        """Any rows, in any order, also none and one twice: what is said of a row may not change."""
        if self.use.depends is Depends.TABLE:
            return
        chance = Random(self.seed)  # noqa: S311 (reproducible on purpose)
        size = self.table.size
        # size + 1 rows: some row comes twice
        for count in [0, *(chance.randint(1, size + 1) for _ in range(subsets if size else 0))]:
            index = [chance.randrange(size) for _ in range(count)]
            if not _agree(self.answer(ask, index), _at(whole, index)):
                shown = f"rows {index} alone" if index else "no row"
                yield f"{_ask(ask)}: shown {shown}, it says something else than among all rows; {_TABLE_STEP}"
                return

    def _of_equal_asks(self, asks: Sequence[Hashable], answers: dict[int, Any]) -> Iterator[str]:
        """The same answer again, after other asks, for an ask that is equal but not the same object."""
        # in both orders, so that each ask also follows one that came after it
        for place in [*answers, *reversed(answers)]:
            equal = deepcopy(asks[place])
            if asks[place] != equal or hash(asks[place]) != hash(equal):
                yield f"{_ask(equal)}: a copy of this ask is not equal to it; make asks frozen values"
            try:
                again = self.answer(equal)
            except PluginError as problem:
                yield f"{_ask(equal)}: asked again, it {problem.message}"
            else:
                if not _agree(again, answers[place]):
                    yield f"{_ask(equal)}: asked again, it answers differently; {_CYCLE_STEP}"

    def _of_twin(self, ask: Any, answer: Any) -> Iterator[str]:
        for text in twin_complaints(self.plugin, ask, self.columns, self.table.shared, answer):
            yield f"{_ask(ask)}: {text}"

    def _of_cures(self, ask: Any) -> Iterator[str]:
        try:
            cures_of(self.use, ask, self.binding)
        except PluginError as problem:
            yield f"{_ask(ask)}: it {problem.message}; {problem.next}"
        except Exception as problem:
            yield f"{_ask(ask)}: its cured_by raised {type(problem).__name__}: {problem}"

    def _of_explaining(self, ask: Any, mask: Sequence[bool]) -> Iterator[str]:
        refused = [row for row, passed in enumerate(mask) if not passed]
        if refused:
            for text in explained_wrongly(self.use, ask, self._shown(refused), len(refused), self._prepared(ask)):
                yield f"{_ask(ask)}: {text}"

    def _shown(self, index: Sequence[int] | None) -> dict[str, Column]:
        if index is None:
            return self.columns
        rows: Any = index if self.storage is list_stages else np.array(index, np.intp)
        shared = self.table.shared
        return {
            name: column if name in shared else self.storage.take(column, rows) for name, column in self.columns.items()
        }

    def _prepared(self, ask: Any) -> Any:
        """A cycle in which the plugin is prepared for this ask; None where it skips."""
        cycle = Cycle(self.subject, ask, seed=self.seed)
        if self.preparation and self.preparation.skips(ask, self.table, self.facts, cycle, stages.Tally()):
            return None
        return cycle if self.use.depends >= Depends.CYCLE else CLOSED


_TABLE_STEP = "declare `depends = Depends.TABLE`, or judge each row by itself"
_CYCLE_STEP = "declare `depends = Depends.CYCLE`, or keep no state"


def _storage_complaints(
    plugin: Any, kind: str, table: Table | ListTable, asks: Sequence[Hashable], subject: Any, seed: int
) -> Iterator[str]:
    here, there = (_Check(plugin, kind, each, subject, seed) for each in (table, in_other_storage(table)))
    for ask in asks:
        try:
            same = _agree(here.answer(ask), there.answer(ask))
        except PluginError as problem:
            yield f"{_ask(ask)}: in the other storage it {problem.message}"
        else:
            if not same:
                yield f"{_ask(ask)}: it answers differently over arrays and over lists"


def in_other_storage(table: Table | ListTable) -> Table | ListTable:
    """The same rows in the other storage."""
    schema = table.schema
    kind: Any = Table if isinstance(table, ListTable) else ListTable
    static = {name: _plain(table.columns[name]) for name in schema.static}
    state = {name: _plain(table.columns[name]) for name in schema.state}
    steady = {name: table.shared[name] for name in schema.constants}
    changing = {name: value for name, value in table.shared.items() if name not in steady}
    made: Table | ListTable = kind(static=static, state=state, shared=changing, constants=steady, keys=table.keys)
    return made


class _Reader:
    """Makes a producer needed."""

    name = "reader"

    def __init__(self, reads: tuple[str, ...]) -> None:
        self.reads = reads

    def mask(self, ask: Any, rows: Any, cycle: Any) -> Any:
        return rows


def _bound(plugin: Any, kind: str, table: Table | ListTable) -> tuple[Binding, Bound]:
    if kind == "filter":
        binding = bind(Profile("check", MaxScore(), filters=(plugin,)), table.schema)
        return binding, binding.filters[0]
    if kind == "scorer":
        binding = bind(Profile("check", MaxScore(), scorers=(plugin,)), table.schema)
        return binding, binding.scorers[0]
    reader = _Reader(tuple(plugin.produces))
    binding = bind(Profile("check", MaxScore(), filters=(reader,), producers=(plugin,)), table.schema)
    return binding, binding.producers[0]


def _undeclared(plugin: Any, kinds: Sequence[str], table: Table | ListTable) -> Iterator[str]:
    if not isinstance(getattr(plugin, "name", None), str) or not plugin.name:
        yield "it has no `name`"
    for attribute in ("reads", *(("produces",) if "producer" in kinds else ())):
        names = getattr(plugin, attribute, None)
        if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
            yield f"its `{attribute}` is {names!r}, not a tuple of column names"
        elif attribute == "reads" and (missing := sorted(set(names) - table.schema.names)):
            yield f"it reads {missing}, which this table does not have: give one that has them"


def _plain(answer: Any) -> Any:
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


def _at(whole: Any, index: Sequence[int]) -> Any:
    if isinstance(whole, dict):
        return {name: [column[row] for row in index] for name, column in whole.items()}
    return [whole[row] for row in index]


def _agree(one: Any, other: Any) -> bool:
    """Equal number by number; NaN in a produced column is equal to itself."""
    return bool(one == other) or repr(one) == repr(other)  # NaN is not equal to itself, but its text is


def _comparable(columns: dict[str, Column]) -> dict[str, Column]:
    """Copies of the columns; a shared value that is not equal to its own copy cannot be watched."""
    copies = deepcopy(columns)
    return {name: copy for name, copy in copies.items() if _equal(copy, columns[name])}


def _same(before: dict[str, Column], after: dict[str, Column]) -> bool:
    return all(_equal(before[name], after[name]) for name in before)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        # bytes, because NaN is not equal to itself
        return bool(np.array_equal(one, other)) or one.tobytes() == np.asarray(other).tobytes()
    return bool(one == other)


def _ask(ask: Any) -> str:
    text = re.sub(r"\s+", " ", repr(ask))
    return f"ask {text if len(text) <= 80 else text[:80] + '…'}"  # one line of a terminal

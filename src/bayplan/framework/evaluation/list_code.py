"""What a profile asks of a table of lists, written out: plugins are called, and twins stand in one pass over the rows.

A plugin that is called costs a view, a call and a list for a few dozen numbers. A twin costs an expression a row. Both
may stand in one profile: filters without a twin answer first, scorers without one see the rows that are left, and
scores are added in the same order as everywhere. Filters that look at other rows come after the pass, with those behind
them, each about what the one before it left. What is out of the ordinary gives None, and the caller asks with care.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.framework.evaluation.function_text import FunctionTexts, TextError
from bayplan.framework.evaluation.written_out import Writer, compiled_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column
    from bayplan.framework.twins import Twin

    Columns = dict[str, Column]
    Said = Callable[[Sequence[Any], Columns, int, int], tuple[float, ...]]

OTHER: Any = object()
"""The answer of code whose twins are not those of this ask: other code has to be asked."""


class ListCode(NamedTuple):
    """A profile's code for lists, for one choice of twins.

    `asked(ask, columns, size, cycle)` gives the rows that pass, what `said` needs to know, and the sums of each level;
    or None, or OTHER. `said(given, columns, row, place)` is what each scorer said of a row, in the order of addition.
    """

    asked: Callable[..., Any]
    said: Said


def said_in_lists(given: Sequence[Sequence[float]], columns: Columns, row: int, place: int) -> tuple[float, ...]:
    """`ListCode.said` where every scorer answered with a list."""
    return tuple([scores[place] for scores in given])


def write_lists(binding: Binding, twins: Mapping[Bound, Twin | None] | None = None) -> ListCode:
    """The code for asks with these twins, of those plugins that have any.

    A twin that is None says that this plugin has none for these asks, so that it is called.
    """
    writer = _ListWriter(binding, twins or {})
    if not writer.twins:
        asked = writer.function("ask, columns, size, cycle", writer.called(), writer.answer(writer.said))
        return ListCode(asked, said_in_lists)
    body = list(writer.passed())
    said = writer.said_code()
    writer.define_called()
    return ListCode(writer.function("ask, columns, size, cycle", body, writer.answer(writer.handed)), said)


def is_writable(twin: Twin) -> bool:
    """Whether the twin's function can be written into other code, as one value a row."""
    names = [f"argument{place}" for place in range(len(twin.constants) + len(twin.reads or ()))]
    try:
        return len(FunctionTexts().expressions(twin.function, names)) == 1
    except TextError:
        return False


class _ListWriter(Writer):
    """The lines of the code. Inside the pass a column's value is `value…`, a score `score…`."""

    def __init__(self, binding: Binding, twins: Mapping[Bound, Twin | None]) -> None:
        stages = (binding.static, binding.row, binding.cycle, binding.table)
        made = {name for use in binding.producers for name in use.plugin.produces}
        read = [name for stage in stages for name in (*stage.columns, *stage.made, *stage.shared)]
        read += (name for use in binding.tail for name in use.reads)
        super().__init__(dict.fromkeys(name for name in read if name not in made), binding.producers)
        # infinity and NaN have no literals, so that written code uses these names
        self.names.update(inf=inf, nan=nan, other=OTHER)
        self.binding = binding
        self.head = binding.filters[: len(binding.filters) - len(binding.tail)]
        self.absent = tuple(use for use, twin in twins.items() if twin is None)
        self.twins = {use: twin for use, twin in twins.items() if twin is not None}
        self.texts = FunctionTexts()
        self.levels = [f"level{number}" for number in range(len(binding.levels))]
        self.said = [f"said{number}" for number in range(len(binding.scorers))]
        self.constants = {
            use: [f"given{number}_{place}" for place in range(len(twin.constants))]
            for number, (use, twin) in enumerate(self.twins.items())
        }
        self.summed = tuple(use for number in range(len(binding.levels)) for use in self._leading(number))
        listed = [name for use, name in zip(binding.scorers, self.said, strict=True) if use not in self.summed]
        self.handed = [*(name for names in self.constants.values() for name in names), *listed]

    def answer(self, given: Sequence[str]) -> str:
        return f"index, ({_listed(given)}), [{', '.join(self.levels)}]"

    def define_called(self) -> None:
        """The functions that the expressions call."""
        for definition in self.texts.definitions:
            exec(compiled_text(definition), self.names)  # noqa: S102 (as dataclasses are made)

    def called(self) -> Iterator[str]:
        """All plugins are called; filters about all rows, scorers about the rows that are left."""
        yield "index = range(size)"
        yield from self.columns()
        yield from self.produced(self.binding.producers, "type({0}) is not list or len({0}) != size")
        if self.head:
            names = [f"mask{place}" for place in range(len(self.head))]
            yield from self._masks(self.head, names)
            each = [f"each{place}" for place in range(len(names))]
            whole = f"[{' & '.join(each)} for {', '.join(each)} in zip({', '.join(names)})]"
            yield f"mask = {whole if len(names) > 1 else names[0]}"
            yield from self._narrowed(map(self.locals.__getitem__, self._columns_of(self._later())))
        yield from self._tail(())
        yield from self._scores()
        yield from self._sums()

    def passed(self) -> Iterator[str]:
        """Twins judge row after row in one pass; plugins without a twin are called before it or after it."""
        filters = [use for use in self.head if use not in self.twins]
        masks = [f"mask{place}" for place in range(len(filters))]
        left = self._columns_of(self._later())
        yield "index = range(size)"
        yield from self.columns()
        yield from self._guards()
        yield from self.produced(self.binding.producers, "type({0}) is not list or len({0}) != size")
        yield from self._masks(filters, masks)
        if self.head:
            yield "kept = []"
        yield from self._pass(masks)
        if self.head:
            yield f"if not kept: return {self._nothing()}"
            if left:
                yield "if len(kept) != size:"  # where all rows pass, no column is copied
                yield from (f"    {self.locals[name]} = [{self.locals[name]}[row] for row in kept]" for name in left)
            yield "index, size = kept, len(kept)"
        yield from self._tail(tuple(self._results()))
        yield from self._scores()
        yield from self._sums()

    def said_code(self) -> Said:
        """`ListCode.said`: scores that were added in the pass are worked out again for the one row."""
        lines = [f"{_listed(self.handed)} = given"] if self.handed else []
        terms = []
        for use in self.summed:
            for name in self.twins[use].reads or ():
                at = "" if name in self.binding.schema.shared else "[row]"
                lines.append(f"{self._value(name)} = columns[{name!r}]{at}")
        for use, said in zip(self.binding.scorers, self.said, strict=True):
            terms.append(self._expression(use) if use in self.summed else f"{said}[place]")
        body = "\n".join(f"    {line}" for line in dict.fromkeys((*lines, f"return ({_listed(terms)})")))
        code: Said = self.defined("said", f"def said(given, columns, row, place):\n{body}\n")
        return code

    def _leading(self, level: int) -> Iterator[Bound]:
        """A level's scorers that are added in the pass: twins, up to the first scorer that is called."""
        for use in self.binding.scorers:
            if use.level == level:
                if use not in self.twins:
                    return
                yield use

    def _guards(self) -> Iterator[str]:
        """Whether the ask's twins are the ones that are written here, and their constants."""
        for use in self.absent:
            yield f"if {self._made(use)} is not None: return other"
        for use, twin in self.twins.items():
            reads = f"twin.reads != {self.constant(twin.reads)}"
            # A twin may leave `reads` out, which means all reads of the plugin.
            if twin.reads == tuple(use.plugin.reads):
                reads = f"twin.reads is not None and {reads}"
            yield f"twin = {self._made(use)}"
            yield f"if twin is None or twin.function is not {self.constant(twin.function)} or {reads}:"
            yield "    return other"
            if twin.constants:
                yield f"{_listed(self.constants[use])} = twin.constants"

    def _made(self, use: Bound) -> str:
        shared = [f"{name!r}: {self.locals[name]}" for name in use.reads if name in self.binding.schema.shared]
        return f"{self.constant(use.plugin.twin)}(ask, {{{', '.join(shared)}}})"

    def _pass(self, masks: Sequence[str]) -> Iterator[str]:
        read = dict.fromkeys(name for twin in self.twins.values() for name in twin.reads or ())
        needed = [name for name in read if name not in self.binding.schema.shared]
        targets = ["row", *(self._value(name) for name in needed), *(f"each_{name}" for name in masks)]
        sources = ["index", *(self.locals[name] for name in needed), *masks]
        appended = self._results()
        yield from (f"{name} = []" for name in appended)
        if self.head:
            appended["kept"] = "row"
        yield f"for {', '.join(targets)} in zip({', '.join(sources)}):" if needed or masks else "for row in index:"
        appends = [f"{name}.append({value})" for name, value in appended.items()]
        yield from (f"    {line}" for line in (*self._refusals(masks), *self._judged(), *appends))

    def _results(self) -> dict[str, str]:
        """What the pass makes of a row: the start of each sum, and scores that are added later."""
        made = {}
        for number, level in enumerate(self.levels):
            if terms := [self._term(use, "score") for use in self._leading(number)]:
                made[level] = " + ".join(terms)
        for number, use in enumerate(self.binding.scorers):
            if use in self.twins and use not in self.summed:
                made[self.said[number]] = f"score{number}"
        return made

    def _refusals(self, masks: Sequence[str]) -> Iterator[str]:
        """Every filter is asked about every row; `&` with anything but booleans gives no boolean."""
        twins = [self._expression(use) for use in self.head if use in self.twins]
        if answers := [*twins, *(f"each_{name}" for name in masks)]:
            yield f"mask = {' & '.join(answers)}"
            yield "if mask is not True:"
            yield "    if mask is False: continue"
            yield "    return None"

    def _judged(self) -> Iterator[str]:
        """The scores of a row that passes; NaN is in no range."""
        ranges = []
        for number, use in enumerate(self.binding.scorers):
            if use in self.twins:
                yield f"score{number} = {self._expression(use)}"
                ranges.append(f"0.0 <= score{number} <= 1.0")
        if ranges:
            yield f"if not ({' and '.join(ranges)}): return None"  # clamping and counting is done with care elsewhere

    def _expression(self, use: Bound) -> str:
        twin = self.twins[use]
        names = [*self.constants[use], *(self._value(name) for name in twin.reads or ())]
        (text,) = self.texts.expressions(twin.function, names)
        return text if use.scale == 1.0 else f"{text} / {use.scale!r}"

    def _value(self, name: str) -> str:
        """What stands for a column in the pass: its value in the row, or what all rows share."""
        local = self.locals[name]
        return local if name in self.binding.schema.shared else f"value_{local}"

    def _columns_of(self, uses: Iterable[Bound]) -> list[str]:
        return sorted({name for use in uses for name in use.reads} - self.binding.schema.shared)

    def _nothing(self) -> str:
        return f"[], (), [{', '.join('[]' for _ in self.levels)}]"

    def _masks(self, filters: Sequence[Bound], names: Sequence[str]) -> Iterator[str]:
        for use, name in zip(filters, names, strict=True):
            yield from self.asked(use, name)
            yield f"if type({name}) is not list or len({name}) != size: return None"

    def _later(self, after: int = 0) -> Iterator[Bound]:
        """The plugins that are called about the rows that are left, from this filter of the tail on."""
        yield from self.binding.tail[after:]
        yield from (use for use in self.binding.scorers if use not in self.twins)

    def _tail(self, results: tuple[str, ...]) -> Iterator[str]:
        """Filters that look at other rows, and those behind them; `results` are the lists that the pass made."""
        for place, use in enumerate(self.binding.tail, start=1):
            yield from self._masks((use,), ("mask",))
            columns = (self.locals[name] for name in self._columns_of(self._later(place)))
            yield from self._narrowed((*columns, *results))

    def _narrowed(self, lists: Iterable[str]) -> Iterator[str]:
        """Only the rows that the mask keeps, and these lists for them alone."""
        yield "if not booleans(map(type, mask)): return None"  # `&` with anything but booleans gives no boolean
        yield "if False in mask:"
        yield "    index = list(compress(index, mask))"
        yield "    size = len(index)"
        yield f"    if not index: return {self._nothing()}"
        yield from (f"    {name} = list(compress({name}, mask))" for name in lists)

    def _scores(self) -> Iterator[str]:
        """The scorers that are called."""
        for use, name in zip(self.binding.scorers, self.said, strict=True):
            if use in self.twins:
                continue
            yield from self.asked(use, name)
            yield f"if type({name}) is not list or len({name}) != size: return None"
            if use.scale != 1.0:
                yield f"{name} = [each / {use.scale!r} for each in {name}]"
            yield f"order = sorted({name})"  # the quickest way to both ends; NaN shows in the sums
            yield "if not (order[0] >= 0.0 and order[-1] <= 1.0): return None"

    def _sums(self) -> Iterator[str]:
        """What is left to add, level by level, one by one; that sums begin at 0.0 is seen to by `ListTotals.total`."""
        for number, level in enumerate(self.levels):
            uses = [use for use in self.binding.scorers if use.level == number]
            late = [use for use in uses if use not in self.summed]
            if not uses:
                yield f"{level} = [0.0] * size"
            elif late:
                begin = ["start"] if len(late) < len(uses) else []
                terms = [*begin, *(self._term(use, "each") for use in late)]
                places = [self.binding.scorers.index(use) for use in late]
                each = [*begin, *(f"each{place}" for place in places)]
                sources = [*(level for _ in begin), *(f"said{place}" for place in places)]
                source = f"zip({', '.join(sources)})" if len(sources) > 1 else sources[0]
                yield f"{level} = [{' + '.join(terms)} for {', '.join(each)} in {source}]"
                yield f"total = sum({level})"
                # NaN is the only value that differs from itself, and it survives every sum.
                yield "if total != total: return None"

    def _term(self, use: Bound, word: str) -> str:
        score = f"{word}{self.binding.scorers.index(use)}"
        return score if use.weight == 1.0 else f"{use.weight!r} * {score}"


def _listed(names: Sequence[str]) -> str:
    """The inside of a tuple."""
    return "".join(f"{name}, " for name in names).rstrip()

"""The text of the loop over changed rows, from the twins of a profile's row plugins."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any

from bayplan.framework.evaluation.function_text import FunctionTexts, TextError
from bayplan.framework.evaluation.written_out import compiled_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.twins import Twin

DECORATOR = "compiled"
"""What stands above each function of a kernel's text: the compiler defines it."""


class LoopText:
    """What the loop reads, and its text as plain Python and for a compiler.

    Both forms are functions of (places, rows, ground, columns..., made..., shared..., bases..., levels..., weights...,
    constants...). `places` says where the columns hold each of the rows, `ground` where bases and made columns do.
    They return whether all was in order; where not, some levels may be written, and all rows must be asked again.
    """

    def __init__(self, binding: Binding, twins: Mapping[Bound, Twin], wide: frozenset[str]) -> None:
        self.binding, self._wide, self._twins = binding, wide, twins
        self._first_constant: dict[Bound, int] = {}
        self.constants = 0
        for use, twin in twins.items():
            self._first_constant[use] = self.constants
            self.constants += len(twin.constants)
        self._maker = {name: use for use in binding.row.producers for name in use.plugin.produces}
        self._plain = body = _Body(self, "")
        self.columns, self.made, self.shared = tuple(body.columns), tuple(body.made), tuple(body.shared)
        self.wide = len(wide.intersection((*self.columns, *self.made)))

    def plain(self) -> str:
        """The loop in plain Python; a column is handed over as its `item`, one of two dimensions as it is."""
        return self._plain.text()

    def kernel(self) -> str:
        """The loop for a compiler: arrays are handed over, and every function stands below a decorator."""
        return _Body(self, f"@{DECORATOR}\n").text()

    def twin(self, use: Bound) -> tuple[Twin, list[str]]:
        """A plugin's twin, and the names of its constants."""
        twin, first = self._twins[use], self._first_constant[use]
        return twin, [f"constant{first + place}" for place in range(len(twin.constants))]

    def maker(self, name: str) -> Bound | None:
        """The row producer of a column."""
        return self._maker.get(name)

    def is_wide(self, name: str) -> bool:
        """Whether a column has two dimensions."""
        return name in self._wide


class _Body:
    """One form of the loop; plain Python is the one without a decorator above its functions.

    Values are read when the first plugin needs them: most rows are refused early.
    """

    def __init__(self, loop: LoopText, decorator: str) -> None:
        self._loop, self._decorator, self._is_plain = loop, decorator, not decorator
        self._functions = FunctionTexts(decorator)
        self.columns: list[str] = []
        self.made: list[str] = []
        self.shared: list[str] = []
        self._values: dict[str, str] = {}
        self._lines = list(self._written())

    def text(self) -> str:
        binding = self._loop.binding
        counts = {
            "column": len(self.columns), "made": len(self.made), "shared": len(self.shared),
            "base": len(binding.levels), "level": len(binding.levels), "weight": len(binding.row.scorers),
            "constant": self._loop.constants,
        }  # fmt: skip
        names = ["places", "rows", "ground", *(f"{kind}{n}" for kind, count in counts.items() for n in range(count))]
        lines = "\n".join(f"    {line}" for line in self._lines)
        redo = f"{self._decorator}def redo({', '.join(names)}):\n{lines}\n"
        return "\n\n".join([*self._functions.definitions, redo])

    def _written(self) -> Iterator[str]:
        stage, levels = self._loop.binding.row, range(len(self._loop.binding.levels))
        if self._is_plain:
            yield "for place, row in zip(places, rows):"
            yield "    under = ground(row)"
            yield from (f"    total{each} = base{each}(under)" for each in levels)
        else:
            yield "for step in range(len(rows)):"
            yield "    place, row = places[step], rows[step]"
            yield "    under = ground[row]"
            yield from (f"    total{each} = base{each}[under]" for each in levels)
        yield "    if total0 == -inf:"  # refused by a static filter, on all levels
        yield from self._refused()
        for use in sorted(stage.filters, key=self._is_late):
            (answer,) = yield from self._asked(use)
            yield f"    if not {answer}:"
            yield from self._refused()
        for place, use in enumerate(stage.scorers):
            (answer,) = yield from self._asked(use)
            yield f"    score = {answer}" if use.scale == 1.0 else f"    score = {answer} / {use.scale!r}"
            yield "    if not 0.0 <= score <= 1.0:"  # also NaN; clamping and counting is done over arrays
            yield "        return False"
            yield f"    total{use.level} += score * weight{place}"
        yield from (f"    level{each}[row] = total{each}" for each in levels)
        yield "return True"

    def _refused(self) -> Iterator[str]:
        for each in range(len(self._loop.binding.levels)):
            yield f"        level{each}[row] = -inf"
        yield "        continue"

    def _is_late(self, use: Bound) -> bool:
        """Filters commute: what needs no producer is asked first."""
        return any(self._loop.maker(name) is not None for name in self._loop.twin(use)[0].reads or ())

    def _asked(self, use: Bound) -> Generator[str, None, list[str]]:
        """The lines that a plugin's values need; what comes back is its answer, as expressions."""
        twin, constants = self._loop.twin(use)
        reads = twin.reads or ()
        for name in reads:
            yield from self._read(name)
        return self._functions.expressions(twin.function, [*constants, *(self._values[name] for name in reads)])

    def _read(self, name: str) -> Iterator[str]:
        if name in self._values:
            return
        maker, schema = self._loop.maker(name), self._loop.binding.schema
        if maker is not None:
            yield from self._produced(maker)
        elif name in schema.shared:
            self._values[name] = f"shared{len(self.shared)}"
            self.shared.append(name)
        else:
            kind, held = ("column", self.columns) if name in schema.names else ("made", self.made)
            source, at = f"{kind}{len(held)}", "place" if kind == "column" else "under"
            held.append(name)
            self._values[name] = f"value{len(self._values)}"
            yield f"    {self._values[name]} = {self._loaded(source, at, is_wide=self._loop.is_wide(name))}"

    def _loaded(self, source: str, at: str, *, is_wide: bool) -> str:
        if not self._is_plain:
            return f"{source}[{at}]"
        return f"{source}[{at}].tolist()" if is_wide else f"{source}({at})"

    def _produced(self, use: Bound) -> Iterator[str]:
        answers = yield from self._asked(use)
        names = use.plugin.produces
        for name in names:
            self._values[name] = f"value{len(self._values)}"
        values = [self._values[name] for name in names]
        if len(answers) not in (1, len(values)):  # one answer may be a call that returns all values
            raise TextError(f"{use.name} makes {len(values)} columns, and its twin {len(answers)}")
        yield f"    {', '.join(values)} = {', '.join(answers)}"


def plain_function(text: LoopText) -> Callable[..., bool]:
    """The loop as a function of plain Python."""
    names: dict[str, Any] = {"inf": inf, "nan": nan}
    exec(compiled_text(text.plain()), names)  # noqa: S102 (as dataclasses are made)
    function: Callable[..., bool] = names["redo"]
    return function

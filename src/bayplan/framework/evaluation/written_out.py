"""What a profile asks in every decision, written out as straight-line code: the path on which nothing goes wrong.

A few dozen changed rows, or a few dozen endpoints: there the loops over plugins, the look-ups of columns and the
handling of errors cost more than the plugins' own work. So they are written out once per profile and table, as
dataclasses write out their methods. Whatever is out of the ordinary (a plugin that raises, a wrong shape or type, a
score out of range) gives None, and the caller asks again with care: plugins are pure, so asking twice does no harm.
"""

from __future__ import annotations

import linecache
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import CodeType

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column, FloatArray, IndexArray

    Columns = dict[str, Column]
    RowCode = Callable[[Any, Columns, Sequence[FloatArray], IndexArray], list[FloatArray] | None]

_NAMES: dict[str, Any] = {
    "new": object.__new__,
    "array": np.ndarray,
    "boolean": np.dtype(np.bool_),
    "double": np.dtype(np.float64),
    "bits": np.dtype(np.uint64),
    "one": int(np.float64(1.0).view(np.uint64)),  # the bits of 1.0, see `_array_scores`
    "refused": -np.inf,
    "closed": CLOSED,
    "compress": compress,
    "booleans": frozenset({bool}).issuperset,
}


@lru_cache(maxsize=512)
def compiled_text(code: str) -> CodeType:
    """The code, compiled once: equal profiles on many forks have equal code, and compiling costs more than running.

    Its lines are given to `linecache`, so that tracebacks and debuggers show them. They stay there: a few kB for each
    different profile, and a process has few of them.
    """
    name = f"<written out {crc32(code.encode()):08x}>"  # equal code has an equal name
    # None as the time of change: there is no file, and `linecache.checkcache` must not drop the lines for that.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    return compile(code, name, "exec")


class Writer:
    """Columns become numbered local variables, plugins numbered globals."""

    def __init__(self, given: Iterable[str], producers: Iterable[Bound]) -> None:
        self.names: dict[str, Any] = dict(_NAMES)
        self.given = tuple(given)
        made = [name for use in producers for name in use.plugin.produces]
        self.locals = {name: f"column{place}" for place, name in enumerate((*self.given, *made))}

    def function(self, signature: str, body: Iterable[str], answer: str) -> Any:
        """The function of this code; columns are identifiers, the schema saw to that."""
        lines = "\n".join(f"        {line}" for line in body)
        otherwise = f"    except Exception:\n        return None\n    return {answer}"
        return self.defined("asked", f"def asked({signature}):\n    try:\n{lines}\n{otherwise}")

    def defined(self, name: str, code: str) -> Any:
        """What this code defines under that name."""
        exec(compiled_text(code), self.names)  # noqa: S102 (as dataclasses are made)
        return self.names[name]

    def constant(self, value: Any) -> str:
        """The name under which the code finds a value."""
        name = f"constant{len(self.names)}"
        self.names[name] = value
        return name

    def columns(self) -> Iterator[str]:
        for name in self.given:
            yield f"{self.locals[name]} = columns[{name!r}]"

    def asked(self, use: Bound, answer: str) -> Iterator[str]:
        yield f"rows = new({self.constant(use.view)})"
        yield "rows.size = size"
        for name in use.reads:
            yield f"rows.{name} = {self.locals[name]}"
        cycle = "cycle" if use.depends >= Depends.CYCLE else "closed"
        yield f"{answer} = {self.constant(use.call)}(ask, rows, {cycle})"

    def produced(self, producers: Iterable[Bound], wrong: str) -> Iterator[str]:
        """`wrong` is the test, with {0} for the value, that it is no valid column."""
        for use in producers:
            yield from self.asked(use, "answer")
            for name in use.plugin.produces:
                yield f"{self.locals[name]} = columns[{name!r}] = answer[{name!r}]"
                yield f"if {wrong.format(self.locals[name])}: return None"


def write_rows(binding: Binding) -> RowCode:
    """The sums of some rows, at least one, from their columns; what producers make is put beside these."""
    stage = binding.row
    writer = Writer((*stage.columns, *stage.made, *stage.shared), stage.producers)
    levels = [f"level{number}" for number in range(len(binding.levels))]

    def lines() -> Iterator[str]:
        yield "size = len(index)"
        yield "shape = (size,)"
        yield from writer.columns()
        for number, level in enumerate(levels):
            yield f"{level} = bases[{number}][index]"
        yield from writer.produced(stage.producers, "type({0}) is not array or {0}.shape[:1] != shape")
        for place, use in enumerate(stage.filters):
            answer = "answer" if place else "mask"
            yield from writer.asked(use, answer)
            yield f"if type({answer}) is not array or {answer}.dtype is not boolean: return None"
            yield f"if {answer}.shape != shape: return None"
            if place:
                yield "mask = mask & answer"
        for use, weight in zip(stage.scorers, stage.weights, strict=True):
            yield from _array_scores(writer, use, weight)
        if stage.filters:
            yield "mask = ~mask"
            for level in levels:
                yield f"{level}[mask] = refused"

    code: RowCode = writer.function("ask, columns, bases, index", lines(), f"[{', '.join(levels)}]")
    return code


def _array_scores(writer: Writer, use: Bound, weight: FloatArray) -> Iterator[str]:
    yield from writer.asked(use, "answer")
    yield "if type(answer) is not array or answer.dtype is not double or answer.shape != shape: return None"
    if use.scale != 1.0:
        yield f"answer = answer / {writer.constant(use.scale)}"
    # Numbers in [0, 1] are, bit by bit, those not above one; the rest (below, above, NaN, -0.0) needs a look.
    yield "seen = answer.view(bits)"
    yield "if seen.item(seen.argmax()) > one: return None"
    weighed = "answer" if use.weight == 1.0 else f"answer * {writer.constant(weight)}"  # times 1.0 changes no bit
    yield f"level{use.level} += {weighed}"

"""Does a plugin's scalar form say what its form over columns says? The part of the contract check for twins."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.function_text import FunctionTexts, TextError
from bayplan.framework.twins import twin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.framework.plugins import Column


def twin_complaints(
    plugin: Any, ask: Any, columns: Mapping[str, Column], shared: Mapping[str, Any], answer: Any
) -> Iterator[str]:
    """What is wrong with the twin for this ask; `answer` is what the plugin says of all rows, in plain values."""
    declared = {name: value for name, value in shared.items() if name in plugin.reads}
    try:
        twin = twin_of(plugin, ask, declared)
    except PluginError as problem:
        yield f"it {problem.message}; {problem.next}"
        return
    if twin is None:
        return
    reads = twin.reads or ()
    try:
        count = len(twin.constants) + len(reads)
        FunctionTexts().expressions(twin.function, [f"value{place}" for place in range(count)])
    except TextError as problem:
        yield f"its twin cannot be written into a loop: {problem}"
        return
    for row, wanted in enumerate(_by_row(plugin, answer)):
        values = [shared[name] if name in shared else _value(columns[name], row) for name in reads]
        try:
            said = twin.function(*twin.constants, *values)
        except Exception as problem:
            yield f"its twin raised {type(problem).__name__} for row {row}: {problem}"
            return
        if not _same_bits(said, wanted):
            yield f"its twin says {said!r} of row {row}, and the plugin itself {wanted!r}"
            return


def _by_row(plugin: Any, answer: Any) -> list[Any]:
    """What the plugin says of each row; a scorer may answer in any type of number, but scores are added as floats."""
    if not isinstance(answer, dict):
        return answer if hasattr(plugin, "mask") else [float(each) for each in answer]
    columns = [answer[name] for name in plugin.produces]
    return list(zip(*columns, strict=True)) if len(columns) > 1 else list(columns[0])


def _value(column: Column, row: int) -> Any:
    value = column[row]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _same_bits(one: Any, other: Any) -> bool:
    """Equal in type and in every bit; NaN equals itself, and a score of type int equals no float."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same_bits, one, other))
    if isinstance(one, float) and isinstance(other, float):
        # Bits tell 0.0 from -0.0, which == does not; NaN has many bit patterns, and all count as one.
        return _bits(one) == _bits(other) or (one != one and other != other)  # noqa: PLR0124 (NaN)
    return type(_plain(one)) is type(_plain(other)) and bool(one == other)


def _bits(number: float) -> bytes:
    return struct.pack("<d", number)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

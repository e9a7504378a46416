"""The flags of a backend as they would be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.sizing.engine import flags_of

if TYPE_CHECKING:
    from bayplan.cluster.workload import Backend, Shape
    from bayplan.sizing.flags import Flag


def flag(shape: Shape, meaning: str) -> Flag | None:
    """The flag of that meaning that counts."""
    return None if shape.backend is None else flags_of(shape.backend).get(meaning)


def written(shape: Shape, meaning: str) -> str:
    """The flag as somebody would type it."""
    found = flag(shape, meaning)
    return "" if found is None else f"{found.name}={found.text}"


def without(shape: Shape, *meanings: str) -> Shape:
    """The shape without these flags, however often they are given."""
    for meaning in meanings:
        while (found := flag(shape, meaning)) is not None and shape.backend is not None:
            shape = _spliced(shape, shape.backend, found, ())
    return shape


def with_value(shape: Shape, meaning: str, value: str) -> Shape:
    """The shape with another value of a flag that it has."""
    found = flag(shape, meaning)
    if found is None or shape.backend is None:
        return shape
    return _spliced(shape, shape.backend, found, (f"{found.name}={value}",))


def _spliced(shape: Shape, backend: Backend, found: Flag, words: tuple[str, ...]) -> Shape:
    """A flag stands in one word with its value, or in the word before it."""
    args, end = backend.args, found.position + 1
    one_word = found.text is None or args[found.position].startswith(found.name)
    begin = found.position if one_word else found.position - 1
    return replace(shape, backend=replace(backend, args=(*args[:begin], *words, *args[end:])))

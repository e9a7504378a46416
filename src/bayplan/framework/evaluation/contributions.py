"""The parts of picked rows' totals, asked for again from the values that the scorers saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.evaluation.explanation import Term
from bayplan.framework.evaluation.stages import ask_scores, produce

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column


class Seen(NamedTuple):
    """What the scorers saw of one picked row, and what they said that cannot be asked for again.

    The values are kept, not the answers: a few scalars cost a microsecond, and plugins are pure, so asking them
    again about these values gives the very same numbers.
    """

    binding: Binding
    ask: Hashable
    values: Sequence[Any] | None
    """One for each of `binding.inputs`: a plain number, or, where it has no type, an array of one row."""
    types: Sequence[Any]
    shared: Mapping[str, Any]
    late: Mapping[str, float] | tuple[float, ...]
    """What was said, by scorer; or, of a row of a list, what each scorer said in the order of addition."""
    left_out: Collection[Bound]

    def said(self) -> Mapping[str, float]:
        """What cannot be asked for again, by scorer."""
        if not isinstance(self.late, tuple):
            return self.late
        return {use.name: said for use, said in zip(self.binding.scorers, self.late, strict=True)}


def contributions(seen: Iterable[Seen]) -> list[tuple[Term, ...]]:
    """Each row's parts, in the order of addition; rows of one class are asked about together."""
    rows = list(seen)
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        alone = row.left_out or row.values is None  # what lists saw is all there; their ask need not be hashable
        alike = place if alone else (id(row.binding), id(row.shared), id(row.types), row.ask)
        groups.setdefault(alike, []).append(place)
    parts: list[tuple[Term, ...]] = [()] * len(rows)
    for places in groups.values():
        members = [rows[place] for place in places]
        early = _early(members) if members[0].values is not None else {}
        for number, place in enumerate(places):
            parts[place] = _terms(rows[place], early, number)
    return parts


def _terms(row: Seen, early: Mapping[str, Sequence[float]], number: int) -> tuple[Term, ...]:
    late, terms = row.said(), []
    for use in row.binding.scorers:
        name = use.name
        score = late[name] if name in late else early[name][number] if name in early else 0.0
        if not 0.0 <= score <= 1.0:  # neither recorded nor repeated scores are clamped yet
            score = min(max(score, 0.0), 1.0)
        terms.append(Term(name, use.weight, use.level, score, use.weight * score))
    return tuple(terms)


def _early(members: Sequence[Seen]) -> dict[str, Sequence[float]]:
    """The kept scorers' scores of rows that share binding, ask and shared values."""
    first = members[0]
    binding, size = first.binding, len(members)
    columns: dict[str, Column] = {**first.shared}
    together = zip(*[row.values or () for row in members], strict=True)
    for name, dtype, values in zip(binding.inputs, first.types, together, strict=True):
        columns[name] = np.concatenate(values) if dtype is None else np.array(values, dtype)
    scores: dict[str, Sequence[float]] = {}
    for use in (*binding.static.producers, *binding.row.producers):
        if use not in first.left_out:
            produce(use, first.ask, columns, size, CLOSED)
    for use in (*binding.static.scorers, *binding.row.scorers):
        if use not in first.left_out:
            said = ask_scores(use, first.ask, columns, size, CLOSED)
            scores[use.name] = (said.astype(np.float64) / use.scale).tolist()
    return scores

"""What an explanation holds: refusals and scores as columns, candidate by candidate; sentences are made when read."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.framework.reasons import NOT_EVALUATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.framework.evaluation.binding import Bound
    from bayplan.framework.evaluation.groups import GroupRows
    from bayplan.framework.plugins import Column
    from bayplan.framework.reasons import Refusal, Rejection


class Term(NamedTuple):
    """One scorer's part in a row's total."""

    scorer: str
    weight: float
    level: int
    score: float
    contribution: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate that passed, with the parts of its score in the order of addition."""

    row: int
    key: str
    levels: tuple[float, ...]
    terms: tuple[Term, ...]

    @property
    def total(self) -> float:
        """The sum of the last level, which is what documents call the score."""
        return self.levels[-1]


class Explanation:
    """One profile's run, candidate by candidate. Numbers are columns; sentences and rankings are made when read."""

    def __init__(
        self,
        keys: Sequence[str],
        refusals: Sequence[Refusal],
        survivors: Sequence[int],
        scorers: Sequence[Bound],
        scores: Sequence[Column],
        levels: Sequence[Column],
        notes: Mapping[int, Sequence[str]] | None = None,
        filters: Sequence[str] = (),
        inactive: Sequence[str] = (),
    ) -> None:
        """`notes`: by the place of a scorer, what it has to say beside its score of each survivor.

        `filters`: all filters of the profile; `inactive`: the plugins that skipped the run by their own choice.
        """
        self.keys = keys
        self.filters = tuple(filters)
        self.inactive = tuple(inactive)
        self.groups: tuple[GroupRows, ...] = ()  # which rows of each passed; empty where any one row was wanted
        self._notes = notes or {}
        self.refusals = tuple(refusals)
        self.survivors = survivors
        self._scorers = scorers
        self._scores = scores
        self._levels = levels

    def rejections(
        self,
        row: int | str | None = None,
        *,
        filter: str | None = None,  # noqa: A002 (it is the word for it)
        code: str | None = None,
    ) -> dict[int, list[Rejection]]:
        """Row by row, every failing check in profile order: of all rows, or of one, by its number or its key.

        `filter` and `code` leave only what that filter said, or only refusals with that code.
        """
        wanted = None if row is None else self._row(row)
        if filter is not None and filter not in self.filters:
            raise InputError(
                f"no filter of this profile is called {filter!r}",
                place="rejections.filter",
                next=did_you_mean(str(filter), self.filters),
            )
        found: dict[int, list[Rejection]] = {}
        for refusal in self.refusals:
            if filter is None or refusal.filter == filter:
                for each, rejection in _rejections(refusal, wanted):
                    if code is None or rejection.code == code:
                        found.setdefault(each, []).append(rejection)
        return found

    def _row(self, row: Any) -> int:
        """The number of a row that may be named by its key."""
        if isinstance(row, str):
            if row in self.keys:
                return self.keys.index(row)
            kind = "filter" if row in self.filters else "code" if row in self.counts() else None
            step = did_you_mean(row, self.keys) if kind is None else f"write rejections({kind}={row!r})"
            raise InputError(f"no row has the key {row!r}", place="rejections.row", next=step)
        try:
            number = index(row)
        except TypeError:
            step = "give the number of a row or its key"
            raise InputError(f"{row!r} is no row", place="rejections.row", next=step) from None
        if isinstance(row, bool) or not 0 <= number < len(self.keys):  # True would pass as row 1
            step = f"rows are 0 to {len(self.keys) - 1}" if self.keys else "the table is empty"
            raise InputError(f"there is no row {row!r}", place="rejections.row", next=step)
        return number

    def cures(self) -> dict[str, tuple[str, ...]]:
        """The events that could cure a refusal, each with the filters whose refusals it could cure."""
        found: dict[str, dict[str, None]] = {}
        for refusal in self.refusals:
            for event in refusal.cured_by:
                found.setdefault(event, {})[refusal.filter] = None
        return {event: tuple(filters) for event, filters in found.items()}

    def could_help(self, event: str) -> bool:
        """Whether an event could let a row pass that was refused: where it could cure every refusal of that row.

        Filters that never saw a row (`not-evaluated`) do not stand in its way. For an event that brings new rows this
        is right if every filter names it. In an empty table no row was refused, and any event could help.
        """
        refused, hopeless = np.zeros(len(self.keys), np.bool_), np.zeros(len(self.keys), np.bool_)
        for refusal in self.refusals:
            rows = np.asarray(refusal.rows, np.intp)
            refused[rows] = True
            # one refusal without a cure is enough
            if event not in refusal.cured_by and refusal.reasons.code != NOT_EVALUATED:
                hopeless[rows] = True
        return not self.keys or bool((refused & ~hopeless).any())

    def counts(self) -> dict[str, int]:
        """How many rows each code refused; a row counts once a code."""
        rows: dict[str, set[int]] = {}
        for refusal in self.refusals:
            for row, rejection in refusal:
                rows.setdefault(rejection.code, set()).add(row)
        return {code: len(members) for code, members in rows.items()}

    def ranked(self, top: int | None = None) -> list[Ranked]:
        """The candidates that passed, best first, equals by row."""
        order = sorted(
            range(len(self.survivors)), key=lambda place: tuple(-float(level[place]) for level in self._levels)
        )
        return [self._ranked(place) for place in order[:top]]

    def _ranked(self, place: int) -> Ranked:
        row = int(self.survivors[place])
        terms = tuple(
            Term(use.name, use.weight, use.level, float(scores[place]), use.weight * float(scores[place]), note)
            for use, scores, note in zip(self._scorers, self._scores, self._said(place), strict=True)
        )
        return Ranked(row, self.keys[row], tuple(float(level[place]) for level in self._levels), terms)

    def _said(self, place: int) -> list[str]:
        return [self._notes[number][place] if number in self._notes else "" for number in range(len(self._scorers))]


def _rejections(refusal: Refusal, row: int | None) -> Iterator[tuple[int, Rejection]]:
    """What a filter said of all its rows, or of one."""
    if row is None:
        yield from refusal
        return
    for place, each in enumerate(refusal.rows):
        if each == row:
            yield row, refusal.reasons.at(place, refusal.filter, refusal.cured_by)

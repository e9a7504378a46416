"""Why rows were refused: codes and numbers as columns, a sentence only where it is read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.framework.plugins import BoolArray, Column, FloatArray, IndexArray

NOT_EVALUATED = "not-evaluated"
NOT_SCORED = "not-scored"


class Reasons:
    """A filter's answer for the rows it refused.

    `code` is one code, or a column of them for a filter that checks several things; so are `unit` and `text`, a
    template over the names of the columns. `curable` says whether evicting others could change the answer. Every
    further keyword is a number (or text) for all rows, or a column of them; documents show `needed` and `free`.
    `not_known` names the fact that the answer lacked, where a fact was not given; empty elsewhere.
    `cured_by` names the events that could change the answer, where they are fewer than the filter's `cured_by`.
    A filter that has more than one thing to say of a row answers with several of these; `places` then says of which of
    the refused rows each speaks.

    Columns hold a value for each refused row, or where equal rows are told of once (`spread`), for each kind of them.
    """

    __slots__ = ("_kinds", "code", "columns", "curable", "cured_by", "not_known", "places", "text", "unit")

    def __init__(
        self,
        code: str | Sequence[str],
        *,
        curable: bool | Sequence[bool] = False,
        unit: str | Sequence[str] = "",
        text: str | Sequence[str] = "",
        not_known: str | Sequence[str] = "",
        places: IndexArray | None = None,
        cured_by: tuple[str, ...] | None = None,
        **columns: Column,
    ) -> None:
        self.code = code
        self.cured_by = cured_by
        self.curable = curable
        self.unit = unit
        self.text = text
        self.not_known = not_known
        self.places = places
        self.columns = columns
        self._kinds: IndexArray | None = None  # None: the columns hold one value for each refused row

    def spread(self, kinds: IndexArray) -> Reasons:
        """The same of further rows, which are of these kinds: places among the rows of which the columns speak."""
        told: Any = {"curable": self.curable, "unit": self.unit, "text": self.text, "not_known": self.not_known}
        other = Reasons(self.code, cured_by=self.cured_by, **told, **self.columns)
        other._kinds = kinds
        return other

    def said(self, size: int) -> Iterator[tuple[tuple[str, str], IndexArray]]:
        """Each code with the fact that it lacked, and the places of the rows that were refused with them.

        In the order of their first rows.
        """
        if isinstance(self.code, str) and isinstance(self.not_known, str):
            yield (self.code, self.not_known), np.arange(size)
            return
        told = self._told(size)
        pairs = list(zip(_listed(self.code, told), _listed(self.not_known, told), strict=True))
        numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        found = np.array([numbers[pair] for pair in pairs])
        found = found if self._kinds is None else found[self._kinds]
        places = [(pair, np.flatnonzero(found == number)) for pair, number in numbers.items()]
        yield from sorted((each for each in places if len(each[1])), key=lambda each: int(each[1][0]))

    def curables(self, size: int) -> BoolArray:
        """For each of `size` refused rows, whether evicting others could change the answer."""
        curable: BoolArray = self._of_rows(np.asarray(self.curable, np.bool_), size)
        return curable

    def _told(self, size: int) -> int:
        """How many rows the columns speak of: `size`, or the number of kinds where equal rows are told of once."""
        return max(self.lengths().values(), default=size)

    def _of_rows(self, values: Any, size: int) -> Any:
        """The values of all rows, from one for all or from those of the columns."""
        if not values.ndim:
            return np.broadcast_to(values, (size,))  # one value for all rows, without a copy
        return values if self._kinds is None else values[self._kinds]

    def lengths(self) -> dict[str, int]:
        """How long each column is that has a value for each refused row."""
        told = {"code": self.code, "curable": self.curable, "unit": self.unit, "text": self.text}
        columns = {**told, "not_known": self.not_known, **self.columns}
        return {name: len(column) for name, column in columns.items() if _is_column(column)}

    def at(self, place: int, filter_name: str, cured_by: tuple[str, ...] = ()) -> Rejection:
        """The reason for the row at this place among the refused ones; `cured_by` as the filter says it."""
        if self._kinds is not None:
            place = self._kinds.item(place)
        numbers = {name: _at(column, place) for name, column in self.columns.items()}
        return Rejection(
            code=_at(self.code, place),
            filter=filter_name,
            curable=bool(_at(self.curable, place)),
            needed=numbers.pop("needed", None),
            free=numbers.pop("free", None),
            unit=_at(self.unit, place),
            template=_at(self.text, place),
            details=numbers,
            not_known=_at(self.not_known, place),
            cured_by=cured_by if self.cured_by is None else self.cured_by,
        )

    def misses(self, size: int) -> FloatArray:
        """By how much each of `size` refused rows missed, infinity where that is not a number: as `short`, at once."""
        needed, free = self.columns.get("needed"), self.columns.get("free")
        if needed is None or free is None:
            return np.full(size, np.inf)  # nothing to compare: a miss with numbers counts as nearer
        if _is_amount(needed) and _is_amount(free):
            missed = np.asarray(np.subtract(needed, free), np.float64)
        else:
            told = self._told(size)
            missed = np.array(list(map(_miss, _listed(needed, told), _listed(free, told))), np.float64)
        misses: FloatArray = self._of_rows(missed, size)
        return misses

    def each(self, size: int, filter_name: str, cured_by: tuple[str, ...] = ()) -> Iterator[Rejection]:
        """The reasons for all of `size` refused rows, in order."""
        if self._kinds is not None:
            yield from self._each_of_kinds(self._kinds, filter_name, cured_by)
            return
        cured_by = cured_by if self.cured_by is None else self.cured_by
        columns = {name: _listed(column, size) for name, column in self.columns.items()}
        needed = columns.pop("needed", None) or repeat(None, size)
        free = columns.pop("free", None) or repeat(None, size)
        told = (self.code, self.curable, self.unit, self.text, self.not_known)
        details = zip(*columns.values(), strict=True) if columns else repeat((), size)
        names = tuple(columns)
        for code, curable, unit, text, not_known, need, have, values in zip(
            *(_listed(column, size) for column in told), needed, free, details, strict=True
        ):
            detail = dict(zip(names, values, strict=True))
            yield Rejection(code, filter_name, bool(curable), need, have, unit, text, detail, not_known, cured_by)

    def _each_of_kinds(self, kinds: IndexArray, filter_name: str, cured_by: tuple[str, ...]) -> Iterator[Rejection]:
        known: dict[int, Rejection] = {}
        for place, kind in enumerate(kinds.tolist()):
            if kind not in known:
                known[kind] = self.at(place, filter_name, cured_by)
            yield known[kind]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why one filter refused one row."""

    code: str
    filter: str
    curable: bool = False
    needed: Any = None
    free: Any = None
    unit: str = ""
    template: str = ""
    details: Mapping[str, Any] | None = None
    not_known: str = ""
    cured_by: tuple[str, ...] = ()
    """The events that could change the answer; `curable` says whether evicting others is among them."""

    @property
    def short(self) -> Any:
        """By how much it missed; None where that is not a number."""
        return short_of(self.needed, self.free)

    @property
    def message(self) -> str:
        """One sentence, made when it is read."""
        numbers = {"needed": self.needed, "free": self.free, "short": self.short, "unit": self.unit}
        if self.template:
            return self.template.format(**numbers, **(self.details or {}))
        words = self.code.replace("-", " ")
        if self.needed is None:
            return words
        unit = f" {self.unit}" if self.unit else ""
        have = "an unknown amount" if self.free is None else f"{self.free}{unit}"
        return f"{words}: needs {self.needed}{unit}, {have} free"

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {
            "code": self.code,
            "filter": self.filter,
            "curable": self.curable,
            "needed": self.needed,
            "free": self.free,
            "short": self.short,
            "unit": self.unit,
            "message": self.message,
            "not_known": self.not_known or None,
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rows that one filter refused, with its reasons as columns beside them."""

    filter: str
    rows: Sequence[int]
    reasons: Reasons
    filter_cured_by: tuple[str, ...] = ()

    @property
    def cured_by(self) -> tuple[str, ...]:
        """The events that could change the answer: what these reasons say, else what the filter says."""
        return self.filter_cured_by if self.reasons.cured_by is None else self.reasons.cured_by

    def __iter__(self) -> Iterator[tuple[int, Rejection]]:
        rows = _values(self.rows)
        return zip(rows, self.reasons.each(len(rows), self.filter, self.cured_by), strict=True)


_PLAIN = frozenset({int, float, bool, str, type(None)})
"""Types that are plain Python values already: most columns hold nothing else, and looking at each value is slow."""


def _is_column(value: Column) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _is_amount(value: Column) -> bool:
    """Whether it is one number, or an array of numbers, whose differences are exact."""
    if isinstance(value, np.ndarray):
        return value.dtype in (np.int64, np.float64)  # differences of narrower and unsigned types wrap around or round
    return type(value) in (int, float)


def _miss(needed: Any, free: Any) -> float:
    short = short_of(needed, free)
    return short if type(short) in (int, float) else inf


def short_of(needed: Any, free: Any) -> Any:
    """By how much something missed; None where that is not a number."""
    try:
        return needed - free
    except TypeError:
        return None


def _listed(column: Column, size: int) -> list[Any]:
    """The value of each row as plain Python values."""
    return _values(column) if _is_column(column) else [_plain(column)] * size


def _values(column: Column) -> list[Any]:
    """The values of a column as plain Python values."""
    if isinstance(column, np.ndarray):
        listed: list[Any] = column.tolist()
        return listed
    return list(column) if _PLAIN.issuperset(map(type, column)) else list(map(_plain, column))


def _at(column: Column, place: int) -> Any:
    """One row's value, as a plain Python value."""
    return _plain(column[place] if _is_column(column) else column)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value

"""A profile: filters, weighted scorers and one picker, with the producers, candidates and resolver they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.framework.plugins import Filter, Picker, Producer, Resolver, Scorer


@dataclass(frozen=True, slots=True)
class Weighted:
    """A scorer in a profile: how much it weighs, and on which level.

    Lower levels decide first, strictly; scores of one level are added up.
    """

    scorer: Scorer
    weight: float = 1.0
    level: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if not _is_finite(self.weight):
            message = f"{self.weight!r} is not a finite number"
            raise InputError(message, place=f"weight of {self.key}", next="give a number like 1 or 0.5")

    @property
    def key(self) -> str:
        return self.name or self.scorer.name


@dataclass(frozen=True, slots=True)
class Named:
    """A filter or producer under a name of its own, so that one type may stand in a profile twice."""

    plugin: Any
    name: str


@dataclass(frozen=True, eq=False)
class Profile:
    """A named set of plugins; exactly one picker, any number of the others.

    `candidates` names the source of its table (None: the table of the cycle).
    """

    name: str
    picker: Picker
    filters: tuple[Filter | Named, ...] = ()
    scorers: tuple[Weighted | Scorer, ...] = ()
    producers: tuple[Producer | Named, ...] = ()
    candidates: str | None = None
    resolver: Resolver | None = None
    weighted: tuple[Weighted, ...] = field(init=False)
    named_filters: tuple[Named, ...] = field(init=False)
    named_producers: tuple[Named, ...] = field(init=False)

    def __post_init__(self) -> None:
        weighted = tuple(each if isinstance(each, Weighted) else Weighted(each) for each in self.scorers)
        object.__setattr__(self, "weighted", weighted)
        object.__setattr__(self, "named_filters", tuple(map(_named, self.filters)))
        object.__setattr__(self, "named_producers", tuple(map(_named, self.producers)))
        names = [each.key for each in weighted]
        filters = [each.name for each in self.named_filters]
        for name in (*names, *filters):
            if names.count(name) > 1 or filters.count(name) > 1:
                raise InputError(
                    f"{name!r} is in it twice", place=f"profile {self.name}", next="give each use a name of its own"
                )
        if not isfinite(sum(abs(float(each.weight)) for each in weighted)):
            raise InputError(
                "its weights add up to infinity", place=f"profile {self.name}", next="give smaller weights"
            )


def _is_finite(number: Any) -> bool:
    try:
        return type(number) is not bool and isfinite(number)
    except (TypeError, OverflowError):
        return False


def _named(plugin: Any) -> Named:
    return plugin if isinstance(plugin, Named) else Named(plugin, plugin.name)

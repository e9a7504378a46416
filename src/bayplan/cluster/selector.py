"""Which labels a workload asks of its workers, with the operators of Kubernetes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.cluster.places import within
from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_FIELD = "metadata.name"
"""The only field of a Node that Kubernetes lets a selector name."""

# Kubernetes reads 64-bit integers here; Python's own int() would also take underscores and other scripts.
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class Operator(StrEnum):
    """How a label's value is compared."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GT = "Gt"
    LT = "Lt"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label, or on the worker's name where `on_name` says so; `key` is then `metadata.name`."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()
    on_name: bool = False

    def __post_init__(self) -> None:
        if problem := self._problem():
            says, following = problem
            raise InputError(f"{self.operator} on {self.key!r} {says}", place="values", next=following)

    def _problem(self) -> tuple[str, str] | None:
        match self.operator:
            case Operator.IN | Operator.NOT_IN:
                return None if self.values else ("needs at least one value", "list them under values")
            case Operator.EXISTS | Operator.DOES_NOT_EXIST:
                return ("takes no values", "leave values out") if self.values else None
            case Operator.GT | Operator.LT:
                whole = len(self.values) == 1 and _integer(self.values[0]) is not None
                return None if whole else ("needs exactly one whole number", "write values: ['4']")

    @classmethod
    def parse(cls, key: str, operator: object, values: object, place: str) -> Requirement:
        """A requirement as a document writes it; errors name the field inside `place`."""
        if operator not in tuple(Operator):
            known = ", ".join(Operator)
            raise InputError(
                f"no operator is called {shown(operator)}",
                place=f"{place}.operator",
                next=f"use one of {known}",
            )
        if not isinstance(values, list | tuple):
            raise InputError(f"{shown(values)} is no list", place=f"{place}.values", next="write the values as a list")
        texts = tuple(_label_value(value, f"{place}.values[{number}]") for number, value in enumerate(values))
        with within(place):
            return cls(key, Operator(str(operator)), texts)

    @classmethod
    def of_name(cls, *names: str) -> Requirement:
        """Only the workers of these names."""
        return cls(NAME_FIELD, Operator.IN, names, on_name=True)

    def found(self, labels: Mapping[str, str], name: str) -> str | None:
        """What it looks at; None where the worker has no such label."""
        return name if self.on_name else labels.get(self.key)

    def holds(self, labels: Mapping[str, str], name: str = "") -> bool:
        """Whether a worker of these labels and name meets it; a missing label passes NotIn and DoesNotExist."""
        found = self.found(labels, name)
        match self.operator:
            case Operator.IN:
                return found in self.values
            case Operator.NOT_IN:
                return found not in self.values
            case Operator.EXISTS:
                return found is not None
            case Operator.DOES_NOT_EXIST:
                return found is None
            case Operator.GT | Operator.LT:
                return self._compares(found)

    def _compares(self, found: str | None) -> bool:
        number, limit = _integer(found), _integer(self.values[0])
        if number is None or limit is None:
            return False
        return number > limit if self.operator is Operator.GT else number < limit

    def __str__(self) -> str:
        match self.operator:
            case Operator.IN if len(self.values) == 1:
                return f"{self.key}={self.values[0]}"
            case Operator.IN | Operator.NOT_IN:
                word = "in" if self.operator is Operator.IN else "not in"
                return f"{self.key} {word} ({', '.join(self.values)})"
            case Operator.EXISTS:
                return f"{self.key} is set"
            case Operator.DOES_NOT_EXIST:
                return f"{self.key} is not set"
            case Operator.GT | Operator.LT:
                return f"{self.key} {'>' if self.operator is Operator.GT else '<'} {self.values[0]}"


@dataclass(frozen=True, slots=True)
class Miss:
    """A requirement that a worker does not meet, and what it says instead."""

    requirement: Requirement
    found: str | None

    def __str__(self) -> str:
        if self.requirement.on_name:
            listed = " or ".join(self.requirement.values)
            return f"wants {'no' if self.requirement.operator is Operator.NOT_IN else 'only'} worker called {listed}"
        return f"wants {self.requirement}, " + ("has no such label" if self.found is None else f"has {self.found}")


@dataclass(frozen=True, slots=True)
class NoAlternative:
    """Several terms of which a worker meets none."""

    terms: tuple[tuple[Requirement, ...], ...]

    def __str__(self) -> str:
        return "wants " + ", or ".join(" and ".join(map(str, term)) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Selector:
    """All of its requirements must hold, and one of its `alternatives`, if there are any; none holds everywhere.

    An alternative is several requirements that must all hold.
    """

    requirements: tuple[Requirement, ...] = ()
    alternatives: tuple[tuple[Requirement, ...], ...] = ()

    @classmethod
    def of_labels(cls, match_labels: Mapping[str, str], *others: Requirement) -> Selector:
        """From `matchLabels`, and expressions after them; equal selectors come out equal."""
        exact = (Requirement(key, Operator.IN, (value,)) for key, value in sorted(match_labels.items()))
        return cls((*exact, *others))

    def matches(self, labels: Mapping[str, str], name: str = "") -> bool:
        """Whether a worker of these labels and name may be used; an empty name is that of no worker."""
        if not all(requirement.holds(labels, name) for requirement in self.requirements):
            return False
        terms = self.alternatives
        return not terms or any(all(each.holds(labels, name) for each in term) for term in terms)

    def misses(self, labels: Mapping[str, str], name: str = "") -> tuple[Miss | NoAlternative, ...]:
        """Every requirement that does not hold, for an answer to why."""
        found: list[Miss | NoAlternative] = [
            Miss(requirement, requirement.found(labels, name))
            for requirement in self.requirements
            if not requirement.holds(labels, name)
        ]
        if not Selector((), self.alternatives).matches(labels, name):
            found.append(NoAlternative(self.alternatives))
        return tuple(found)

    @property
    def names(self) -> frozenset[str]:
        """The workers that it mentions by name; for all others only labels matter."""
        every = (*self.requirements, *(each for term in self.alternatives for each in term))
        return frozenset(value for each in every if each.on_name for value in each.values)

    def __bool__(self) -> bool:
        return bool(self.requirements or self.alternatives)


def _label_value(value: object, place: str) -> str:
    """Labels are texts; a whole number or a truth can be written as only one text, other values cannot."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) or (isinstance(value, int) and value.bit_length() <= 64):
        return str(value)
    raise InputError(f"{shown(value)} is no text", place=place, next="put it in quotes")


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and _INTEGER.fullmatch(text) else None

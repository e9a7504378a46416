"""A column of a table: its name and how its cell is read from an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.control.resources.ages import age

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

NONE = "<none>"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `wide` columns are shown with `-o wide` only."""

    name: str
    cell: Callable[[Mapping[str, Any], datetime], Any]
    type: str = "string"
    wide: bool = False
    description: str = ""


def at(document: Any, path: str) -> Any:
    """The value at a path such as `spec.poolRef.name`; None where any part is absent."""
    for step in path.split("."):
        document = document.get(step) if isinstance(document, dict) else None
    return document


def listed(document: Any, path: str) -> list[Any]:
    """The objects of a list at a path; empty where there is none."""
    found = at(document, path)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def number(document: Any, path: str) -> int:
    """The whole number at a path; 0 where there is none."""
    found = at(document, path)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def condition(document: Any, name: str) -> Mapping[str, Any]:
    """The condition of that type; empty where there is none."""
    return next((each for each in listed(document, "status.conditions") if each.get("type") == name), {})


def field(name: str, path: str, type_: str = "string", *, wide: bool = False, absent: Any = "") -> Column:
    """A column that shows the field at a path; lists and objects are shown as their number of members."""

    def cell(document: Mapping[str, Any], now: datetime) -> Any:
        value = at(document, path)
        if isinstance(value, dict | list):
            return str(len(value))
        if value is None:
            return absent
        return value if type_ != "string" or isinstance(value, str) else _text(value)

    return Column(name, cell, type_, wide)


def met(name: str, condition_type: str) -> Column:
    """A column that shows the status of a condition."""
    return Column(name, lambda document, now: condition(document, condition_type).get("status", ""))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


NAME = Column("Name", lambda document, now: at(document, "metadata.name") or "", description="Name of the object.")
AGE = Column(
    "Age",
    lambda document, now: age(at(document, "metadata.creationTimestamp"), now),
    description="Time since it was created.",
)

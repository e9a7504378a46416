"""A change by steps, the mildest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.planning.plan import Plan


MOST_LISTED = 4


def plain(step: Any) -> Any:
    """A step that documents can write as it is."""
    return step


def listed(names: Sequence[object]) -> str:
    """`a and b`; of many the first few, and how many more."""
    shown = [str(name) for name in names[:MOST_LISTED]]
    rest = len(names) - len(shown)
    return " and ".join(shown) + (f" and {rest} more" if rest else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """One thing that could be otherwise: `field` in the documents, `before` now, then its steps.

    Where it is `monotone`, a later step fits whenever an earlier one does, and not all of them need be planned.
    `named` is a step in a sentence, `shown` the same in a document, and `told` the whole sentence, with the plan
    that the step led to; `short` is what is said of the step before. `partly` accepts a plan of some replicas.
    `estimate` says that sizes were scaled, not read.
    """

    change: str
    field: str
    before: Any
    steps: Sequence[Any]
    apply: Callable[[Case, Any], Case]
    told: Callable[[Any, Plan], str]
    named: Callable[[Any], str] = str
    shown: Callable[[Any], Any] = plain
    short: str = "does not fit"
    monotone: bool = True
    partly: bool = False
    estimate: bool = False

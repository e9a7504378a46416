"""What an invariant says about one moment: it holds, it does not, or it cannot be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.invariants import Violation


@dataclass(frozen=True, slots=True)
class Verdict:
    """`ok` is None where nothing can be said; `reason` then says why. Silence is never taken for a yes."""

    ok: bool | None
    violations: tuple[str, ...] = ()
    reason: str = ""


def judged(violations: Iterable[str]) -> Verdict:
    """The verdict of a check that could look at everything it needs."""
    found = tuple(violations)
    return Verdict(not found, found)


def not_judged(reason: str) -> Verdict:
    """Neither yes nor no."""
    return Verdict(None, reason=reason)


def told(violations: Iterable[Violation]) -> list[str]:
    """Violations of a ledger as sentences with their places."""
    return [f"{each.place}: {each.message}" for each in violations]

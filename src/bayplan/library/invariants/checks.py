"""Every invariant with its number, what it says, and the function that judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.library.invariants.bindings_sum import ledger_is_sum
from bayplan.library.invariants.capacity import within_capacity
from bayplan.library.invariants.epochs import no_deposed_binds
from bayplan.library.invariants.single_binding import bound_once
from bayplan.library.invariants.stored_objects import StoredObjects
from bayplan.library.invariants.verdict import not_judged
from bayplan.library.invariants.victims import victims_are_lower
from bayplan.library.invariants.whole_gangs import gangs_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.cluster.ledger import Ledger
    from bayplan.library.invariants.verdict import Verdict


class Invariant(NamedTuple):
    """What must always hold, and how that is judged from stored objects."""

    id: str
    says: str
    judge: Callable[[StoredObjects], Verdict]


def _needs(what: str) -> Callable[[StoredObjects], Verdict]:
    """An invariant about which the objects of one moment say nothing."""
    return lambda _: not_judged(f"stored objects do not show it: {what}")


INVARIANTS = (
    Invariant("I1", "no card, MIG instance or memory is given out beyond what there is", within_capacity),
    Invariant("I2", "a replica is bound at most once", bound_once),
    Invariant("I3", "a gang is bound as a whole or not at all", gangs_whole),
    Invariant("I4", "no Pod is bound by a leader that was deposed", no_deposed_binds),
    Invariant("I5", "a restart changes no placement and loses nothing", _needs("tests kill the server")),
    Invariant("I6", "no quota is exceeded", _needs("there are no quotas yet")),
    Invariant("I7", "only what has a lower priority is preempted", victims_are_lower),
    Invariant("I8", "what fits is placed within a bound", _needs("simulations measure it")),
    Invariant("I9", "explanations agree with decisions", _needs("tests compare both")),
    Invariant("I10", "plans agree with what is scheduled", _needs("tests compare both")),
    Invariant("I11", "the same input and seed give the same output", _needs("replays of records compare both")),
    Invariant("I12", "requests go to candidates only", _needs("gateways choose, and keep nothing here")),
    Invariant("I13", "the ledger is the sum of what is bound", ledger_is_sum),
)
"""All of them in order; those that need more than one moment say so instead of saying yes."""


def check_invariants(objects: Iterable[Mapping[str, Any]], ledger: Ledger | None = None) -> dict[str, Any]:
    """`{invariants: [{id, ok, violations, says, reason}], cluster: {ok, problems}, warnings}` of one moment.

    `objects` are all stored objects of the kinds in `stored_objects.KINDS`; others may be among them. `ok` is null
    where an invariant cannot be judged, with the reason.
    """
    stored = StoredObjects(objects, ledger)
    problem = stored.problem
    return {
        "invariants": [_document(each, each.judge(stored)) for each in INVARIANTS],
        "cluster": {"ok": problem is None, "problems": [] if problem is None else [str(problem)]},
        "warnings": [] if stored.inventory is None else list(stored.inventory.warnings),
    }


def _document(invariant: Invariant, verdict: Verdict) -> dict[str, Any]:
    return {
        "id": invariant.id,
        "ok": verdict.ok,
        "violations": list(verdict.violations),
        "says": invariant.says,
        "reason": verdict.reason,
    }

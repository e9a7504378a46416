"""Changes as the document of a *why* shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.placement.answers.changes.change import Change, TakenStep
    from bayplan.placement.answers.changes.find import FoundChanges

CUT_OFF = "the search for changes was cut short: there may be others, and smaller ones"
HELPLESS = "no single change and no two changes make it fit"


def change_documents(found: FoundChanges, workers: Sequence[Worker]) -> list[dict[str, Any]]:
    """Each change with the sentence for people, and with what it was and would be for programs."""
    prices = {worker.name: worker.usd_per_hour for worker in workers}
    return [_document(change, prices) for change in found.changes]


def search_fields(found: FoundChanges) -> dict[str, Any]:
    """How the search for changes ended: whether it was complete, whether nothing helps, and the same as a sentence."""
    note = CUT_OFF if found.cut_off else HELPLESS if found.helpless else None
    return {"changes_complete": not found.cut_off, "no_change_helps": found.helpless, "changes_note": note}


def _document(change: Change, prices: Mapping[str, float | None]) -> dict[str, Any]:
    last = change.taken[-1]
    document = {
        "change": change.kind,
        "detail": "; and ".join(each.ladder.told(each.step, change.plan) for each in change.taken) + _short(last),
        "verified": True,
        "verdict": str(change.plan.verdict),
        **_from_to(last),
        "not_enough": {"to": last.milder, "verdict": str(change.milder)},
        "estimate": any(each.ladder.estimate for each in change.taken),
        "cost_usd_per_hour": _price(change, prices),
    }
    if len(change.taken) > 1:
        document["parts"] = [{"change": each.ladder.change, **_from_to(each)} for each in change.taken]
    return document


def _from_to(taken: TakenStep) -> dict[str, Any]:
    ladder = taken.ladder
    return {"field": ladder.field, "from": ladder.before, "to": ladder.shown(taken.step)}


def _short(taken: TakenStep) -> str:
    """What is said of the step before; that things as they are do not fit needs no saying."""
    ladder = taken.ladder
    return f" ({ladder.named(ladder.steps[taken.number - 1])} {ladder.short})" if taken.number else ""


def _price(change: Change, prices: Mapping[str, float | None]) -> float | None:
    """What the workers of the plan cost together; unknown if the price of one is."""
    known = {**prices, **{worker.name: worker.usd_per_hour for worker in change.case.workers}}
    each = [known.get(name) for name in {booking.worker for booking in change.plan.bookings}]
    return None if None in each else sum(price for price in each if price is not None)

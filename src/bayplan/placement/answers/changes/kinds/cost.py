"""More money, or more replicas on spot workers."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.ladder import Ladder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

SPOT = "spot"
LIMIT = "cost-limit"
SHARE = "spot-share"


def ladders(look: Look) -> Iterator[Ladder]:
    """Spot workers where they are refused, or more of them; then a higher limit, to the cent."""
    yield from _more_on_spot(look)
    for part in look.parts:
        if part.shape.cost.spot is False:
            yield part.ladder(
                SPOT,
                "cost.spot",
                False,
                (None,),
                lambda shape, step: replace(shape, cost=replace(shape.cost, spot=step)),
                lambda _, __: "allow spot workers",
            )
        if part.shape.cost.max_usd_per_hour is not None:
            yield from _higher(look, part, part.shape.cost.max_usd_per_hour)


def _more_on_spot(look: Look) -> Iterator[Ladder]:
    """One replica more at each step; the share is one of the whole workload, so every role that names it changes."""
    sized = look.sized
    wanted, percent, most = sized.workload.desired, sized.max_spot_percent, sized.most_on_spot
    if percent is None or most is None:
        return
    parts = [part for part in look.parts if part.shape.cost.max_spot_percent is not None]
    yield Ladder(
        change=SHARE,
        field=parts[0].field("cost.maxSpotPercent"),
        before=percent,
        steps=sorted({-(-100 * number // wanted) for number in range(most + 1, wanted + 1)}),
        apply=lambda case, step: _shared(case, parts, step),
        told=lambda step, _: f"{step} % of the replicas on spot workers instead of {percent:g}",
        named=lambda step: f"{step} %",
    )


def _shared(case: Case, parts: Sequence[ExaminedRole], percent: float) -> Case:
    for part in parts:
        case = part.edited(case, lambda shape: replace(shape, cost=replace(shape.cost, max_spot_percent=percent)))
    return case


def _higher(look: Look, part: ExaminedRole, limit: float) -> Iterator[Ladder]:
    """Limits up to the price of the plan that has no cost limit."""
    plan = look.oracle.attempt(part.edited(look.case, lambda shape: _limited(shape, None)))
    if plan is None:
        return
    prices = {worker.name: worker.usd_per_hour for worker in look.workers}
    bookings = (*plan.bookings, *look.planner.state.ledger.held_by_workload(look.sized.workload.key))
    used = {booking.worker for booking in bookings if booking.worker in prices}
    if any(prices[worker] is None for worker in used):
        return
    most = ceil(round(sum(prices[worker] or 0.0 for worker in used) * 100, 6))
    yield part.ladder(
        LIMIT,
        "cost.maxUsdPerHour",
        limit,
        range(floor(limit * 100) + 1, most + 1),
        lambda shape, step: _limited(shape, step / 100),
        lambda step, _: f"cost limit {limit:g} -> {step / 100:.2f} USD an hour",
        named=lambda step: f"{step / 100:.2f}",
        short="is not enough",
        shown=lambda step: step / 100,
    )


def _limited(shape: Shape, limit: float | None) -> Shape:
    return replace(shape, cost=replace(shape.cost, max_usd_per_hour=limit))

"""`bayplan.plan`: where workloads would go, or what stands in their way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import located, read_sized_workloads
from bayplan.placement.answers.plan_document import plan_document
from bayplan.placement.planning.queue_order import Waiting, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.library.documents import Given
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.planner import Planner


ORDERS = ("given", "queue")


def plan(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    order: str = "given",
) -> dict[str, Any]:
    """A Plan for one workload, a PlanList for several: planned in order, each on what earlier ones leave free.

    `order` is "given", or "queue": by priority, then age, then name.
    """
    planner, plans, warnings = planned(workloads, cluster, config=config, seed=seed, now=now, order=order)
    return as_document(planner, plans, warnings, seed)


def planned(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    order: str = "given",
) -> tuple[Planner, list[Plan], tuple[str, ...]]:
    """The planner with everything booked, the plans, and warnings about the cluster."""
    given = documents_of(workloads, "workloads")
    planner, inventory = planner_of(cluster, config=config, seed=seed, now=now)
    requests = _ordered(read_sized_workloads(given, inventory.priority_classes), order)
    plans = []
    for request in requests:
        with located(request.workload):
            made = planner.plan(request)
        planner.commit(made)
        made.refused.settle()
        plans.append(made)
    return planner, plans, inventory.warnings


def _ordered(requests: list[SizedWorkload], order: str) -> list[SizedWorkload]:
    if order not in ORDERS:
        raise InputError(f"there is no order {order!r}", place="order", next=did_you_mean(str(order), ORDERS))
    if order == "given":
        return requests
    return sorted(requests, key=lambda request: place_of(Waiting(request.workload)))


def as_document(planner: Planner, plans: list[Plan], warnings: tuple[str, ...], seed: int) -> dict[str, Any]:
    """The document; warnings about the cluster stand in the first plan."""
    documents = [plan_document(each, planner, seed) for each in plans]
    documents[0]["warnings"] = [*documents[0]["warnings"], *warnings]
    return documents[0] if len(documents) == 1 else {"kind": "PlanList", "items": documents}

"""`bayplan.plan`: where workloads and models would go, or what stands in their way."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.library.documents import documents_of
from bayplan.library.joint_planner import JointPlanner
from bayplan.library.planner import inventory_of
from bayplan.manifests.requests import ReadModel, read_requests
from bayplan.placement.planning.queue_order import Waiting, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.library.documents import Given
    from bayplan.manifests.requests import Request
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.queue_order import Place


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
    """A Plan for one workload or model, a PlanList for several: planned in order, each on what earlier ones leave free.

    `order` is "given", or "queue": by priority, then age, then name.
    """
    return planned(workloads, cluster, config=config, seed=seed, now=now, order=order).document()


@dataclass(frozen=True, slots=True)
class Planned:
    """The plans of a call in order, and the planner with everything booked."""

    planner: JointPlanner
    plans: list[Plan | dict[str, Any]]
    """Of a model the document: it shows the servers as they were when it was planned."""
    documents: list[dict[str, Any]]

    def document(self) -> dict[str, Any]:
        """One Plan, or a PlanList."""
        documents = self.documents
        return documents[0] if len(documents) == 1 else {"kind": "PlanList", "items": documents}


def planned(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    order: str = "given",
) -> Planned:
    """The plans; warnings about the cluster stand in the first."""
    given = documents_of(workloads, "workloads")
    inventory = inventory_of(cluster)
    requests = _ordered(read_requests(given, inventory.priority_classes), order)
    planner = JointPlanner(inventory, requests, config=config, seed=seed, now=now)
    taken = [planner.take(request) for request in requests]
    documents = [planner.document(each) for each in taken]
    documents[0]["warnings"] = [*documents[0]["warnings"], *inventory.warnings]
    return Planned(planner, taken, documents)


def _ordered(requests: list[Request], order: str) -> list[Request]:
    if order not in ORDERS:
        raise InputError(f"there is no order {order!r}", place="order", next=did_you_mean(str(order), ORDERS))
    return requests if order == "given" else sorted(requests, key=_place)


def _place(request: Request) -> Place:
    """The place in the queue; models have no priority."""
    if not isinstance(request, ReadModel):
        return place_of(Waiting(request.workload))
    model = request.model
    return 0, inf if model.created_s is None else model.created_s, model.key.namespace, model.key.name

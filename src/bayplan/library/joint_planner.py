"""Workloads on workers and models on servers, planned in one call: each planner is made when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bayplan.library.documents import documents_of
from bayplan.library.model_sizer import ModelSizer
from bayplan.library.planner import placement_planner
from bayplan.library.serving.model_warnings import model_warnings
from bayplan.library.serving.serving_planner import serving_planner
from bayplan.library.sized_workloads import located, sized
from bayplan.manifests.requests import ReadModel
from bayplan.placement.answers.plan_document import plan_document
from bayplan.serving.answers.plan_document import plan_document as model_plan_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.cluster import Cluster
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.native.workload import ReadWorkload
    from bayplan.manifests.reader import Document
    from bayplan.manifests.requests import Request
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.planner import Planner
    from bayplan.serving.planning.planner import Planner as ServingPlanner


class JointPlanner:
    """Plans the requests of a call in order, each on what the former ones leave.

    Workers and servers are separate: what a workload takes, no model would have used.
    """

    def __init__(
        self,
        inventory: Inventory,
        requests: Sequence[Request],
        *,
        config: Any = None,
        seed: int = 0,
        now: float | None = None,
    ) -> None:
        self.inventory = inventory
        self.seed = seed
        self._now = now
        self._sizer = ModelSizer()
        kinds = {isinstance(each, ReadModel) for each in requests}
        documents = None if config is None else documents_of(config, "config")
        self._for_workloads, self._for_models = _configs(documents, both=len(kinds) == 2)
        if kinds == {False}:
            _ = self.placement  # a wrong configuration is told before a wrong workload

    @cached_property
    def placement(self) -> Planner:
        """The planner of workloads."""
        cluster = self.inventory.cluster
        return placement_planner(cluster, config=self._for_workloads, seed=self.seed, now=self._now)

    @cached_property
    def serving(self) -> ServingPlanner:
        """The planner of models."""
        cluster = self.inventory.cluster
        return serving_planner(cluster, config=self._for_models, seed=self.seed, now=self._now)

    def sized(self, request: ReadWorkload) -> SizedWorkload:
        """A workload with the sizes of its models."""
        return sized(request, self._sizer)

    def take(self, request: Request) -> Plan | dict[str, Any]:
        """Plan a request and book it; the plan of a workload, or the document of a model, which shows it as it was."""
        if isinstance(request, ReadModel):
            plan = self.serving.plan(request.model)
            warnings = (*request.warnings, *model_warnings(plan, self.serving.ledger))
            document = model_plan_document(plan, warnings)
            self.serving.book(plan)
            return document
        workload = self.sized(request)
        with located(workload.workload):
            made = self.placement.plan(workload)
        self.placement.commit(made)
        made.refused.settle()
        return made

    def document(self, taken: Plan | dict[str, Any]) -> dict[str, Any]:
        """The document of a request that was planned."""
        return taken if isinstance(taken, dict) else plan_document(taken, self.placement, self.seed)

    def result(self) -> Cluster:
        """The cluster with everything that was planned."""
        cluster = self.inventory.cluster
        if "placement" in self.__dict__:  # a planner that was never made has changed nothing
            done = self.placement.state.result()
            cluster = replace(cluster, workers=done.workers, bookings=done.bookings, budgets=done.budgets)
        if "serving" in self.__dict__:
            booked = tuple(each.booking for each in self.serving.ledger.bookings)
            cluster = replace(cluster, serving_bookings=booked)
        return cluster


def _configs(documents: list[Document] | None, *, both: bool) -> tuple[Any, Any]:
    """The configurations of placement and of serving; where a call has one kind only, all of them are for that one."""
    if not documents or not both:
        return documents, documents
    serving = [each for each in documents if isinstance(each.data, Mapping) and each.data.get("scheduler") == "serving"]
    return [each for each in documents if each not in serving] or None, serving or None

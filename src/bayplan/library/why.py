"""`bayplan.why`: every worker or server and every check, and what would make a workload fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.library.documents import documents_of
from bayplan.library.joint_planner import JointPlanner
from bayplan.library.model_sizer import ModelSizer
from bayplan.library.planner import inventory_of
from bayplan.library.serving.model_warnings import model_warnings
from bayplan.library.sized_workloads import located
from bayplan.manifests.requests import ReadModel, read_requests
from bayplan.placement.answers.changes.document import change_documents, search_fields
from bayplan.placement.answers.changes.find import FoundChanges, find_changes
from bayplan.placement.answers.why import explain
from bayplan.placement.answers.why_document import why_document
from bayplan.serving.answers.why_document import why_document as model_why_document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.library.documents import Given
    from bayplan.manifests.native.workload import ReadWorkload
    from bayplan.manifests.requests import Request


def why(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    worker: str | None = None,
    workload: str | None = None,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    changes: bool = True,
    shown: Collection[str] | None = None,
) -> dict[str, Any]:
    """A Why document about one workload, after the workloads before it are planned; `worker` limits it to one worker.

    `workload` is its name, or NAMESPACE/NAME; without it the last workload is explained. Without `changes` there is no
    search for changes that would make it fit; the search takes longer than everything else. With `shown`, workloads of
    other namespaces have no names in the answer.
    """
    given = documents_of(workloads, "workloads")
    inventory = inventory_of(cluster, shown)
    requests = _up_to(workload, read_requests(given, inventory.priority_classes))
    planner = JointPlanner(inventory, requests, config=config, seed=seed, now=now)
    *former, last = requests
    for request in former:
        planner.take(request)
    if worker is not None:
        _refuse_unknown(worker, [each.name for each in inventory.cluster.workers])
    document = _of_model(planner, last) if isinstance(last, ReadModel) else _of_workload(planner, last, changes=changes)
    if worker is not None:
        document["workers"] = [each for each in document["workers"] if each["worker"] == worker]
    document["warnings"] = [*document["warnings"], *inventory.warnings]
    return document


def _of_workload(planner: JointPlanner, request: ReadWorkload, *, changes: bool) -> dict[str, Any]:
    workload, placement = planner.sized(request), planner.placement
    with located(workload.workload):
        answer = explain(placement, workload)
        found = find_changes(placement, workload, answer.verdict, ModelSizer()) if changes else FoundChanges()
    return why_document(answer, change_documents(found, placement.state.cluster.workers)) | search_fields(found)


def _of_model(planner: JointPlanner, request: ReadModel) -> dict[str, Any]:
    serving = planner.serving
    plan = serving.plan(request.model)
    refusals = plan.refusals or serving.refusals(plan.model, plan.holdings)
    warnings = (*request.warnings, *model_warnings(plan, serving.ledger))
    return model_why_document(plan, refusals, serving.ledger, warnings)


def _refuse_unknown(worker: str, names: Sequence[str]) -> None:
    if worker not in names:
        raise InputError(f"there is no worker {worker!r}", place="worker", next=did_you_mean(worker, names))


def _key(request: Request) -> WorkloadKey:
    return request.model.key if isinstance(request, ReadModel) else request.workload.key


def _up_to(workload: str | None, requests: Sequence[Request]) -> Sequence[Request]:
    """The requests up to the named one, which is the last."""
    if workload is None:
        return requests
    keys = [_key(each) for each in requests]
    full = [number for number, key in enumerate(keys) if f"{key.namespace}/{key.name}" == workload]
    found = full or [number for number, key in enumerate(keys) if key.name == workload]
    if not found:
        message = f"there is no workload {workload!r}"
        raise InputError(message, place="workload", next=did_you_mean(workload, list(map(str, keys))))
    if len({keys[number] for number in found}) > 1:
        named = " or ".join(f"{keys[number].namespace}/{workload}" for number in found[:2])
        message = f"{len(found)} workloads are called {workload!r}"
        raise InputError(message, place="workload", next=f"write the namespace too: {named}")
    return requests[: found[-1] + 1]
